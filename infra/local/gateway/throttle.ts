/** API Gateway's throttling: a token bucket for each method of each route, and for each key of the usage plan. */
import type { Throttle } from './api.ts';

/** Returns whether one more request may pass now. */
export type TokenBucket = () => boolean;

export function tokenBucket({ requestsPerSecond, burstRequests }: Throttle): TokenBucket {
  let tokens = burstRequests;
  // The clock that tests control. Time that goes backwards adds nothing.
  let filledAt = Date.now();
  return () => {
    const now = Date.now();
    tokens = Math.min(burstRequests, tokens + (Math.max(0, now - filledAt) / 1000) * requestsPerSecond);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
