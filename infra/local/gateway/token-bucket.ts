/** Limits how many requests pass per second, as API Gateway does. */
import type { Throttle } from './api.ts';

/** Whether one more request may pass now. Each method and route and each usage plan key has one. */
export type TokenBucket = () => boolean;

export function makeTokenBucket({ requestsPerSecond, burstRequests }: Throttle): TokenBucket {
  let tokens = burstRequests;
  // Uses the clock that tests can control. If it was set back, as at the start of each test, the bucket is full again.
  let filledAt = Date.now();
  return () => {
    const now = Date.now();
    const newTokens = now < filledAt ? burstRequests : ((now - filledAt) / 1000) * requestsPerSecond;
    tokens = Math.min(burstRequests, tokens + newTokens);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
