/** API Gateway's throttling: a token bucket for each method of each route. */
import type { Throttle } from './api.ts';

/** Returns whether one more request may pass now. */
export type TokenBucket = () => boolean;

export function tokenBucket({ requestsPerSecond, burstRequests }: Throttle): TokenBucket {
  let tokens = burstRequests;
  // A monotonic clock, because tests stop the wall clock.
  let filledAt = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(burstRequests, tokens + ((now - filledAt) / 1000) * requestsPerSecond);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
