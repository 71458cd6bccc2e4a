/** Settings of AWS SDK clients. Without timeouts, one hanging call would block the function until it is killed. */
export const makeSdkConfiguration = (limits: {
  readonly attempts: number;
  readonly connectMilliseconds: number;
  readonly callMilliseconds: number;
}) => ({
  maxAttempts: limits.attempts,
  requestHandler: {
    connectionTimeout: limits.connectMilliseconds,
    requestTimeout: limits.callMilliseconds,
    throwOnRequestTimeout: true,
  },
});
