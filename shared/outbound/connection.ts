/** How long calls to what carries messages may take: without a bound, one that hangs takes the whole function with it. */
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

const { attempts, connectMilliseconds, callMilliseconds } = WEBHOOK_LIMITS.outbound;

export const CONNECTION = {
  maxAttempts: attempts,
  requestHandler: {
    connectionTimeout: connectMilliseconds,
    requestTimeout: callMilliseconds,
    throwOnRequestTimeout: true,
  },
};
