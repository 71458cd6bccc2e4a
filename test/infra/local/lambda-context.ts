/** The context of a call, for tests that call a bundle without the local service. */
export const CONTEXT = {
  functionName: 'f',
  functionVersion: '1',
  invokedFunctionArn: 'arn',
  memoryLimitInMB: '512',
  awsRequestId: 'id',
  callbackWaitsForEmptyEventLoop: false,
  getRemainingTimeInMillis: () => 60_000,
};
