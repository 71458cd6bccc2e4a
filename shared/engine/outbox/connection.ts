/**
 * Timeouts of calls to the event bus and the queues. Without them, one hanging call would block the function until it
 * is killed.
 */
import { OUTBOX_LIMITS } from './limits.ts';

const { attempts, connectMilliseconds, callMilliseconds } = OUTBOX_LIMITS;

export const CONNECTION = {
  maxAttempts: attempts,
  requestHandler: {
    connectionTimeout: connectMilliseconds,
    requestTimeout: callMilliseconds,
    throwOnRequestTimeout: true,
  },
};
