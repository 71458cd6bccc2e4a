/**
 * The settings of a client of the AWS SDK. Without timeouts, one hanging call would block the function until it is
 * killed.
 */
export const sdkConnection = (limits: {
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
