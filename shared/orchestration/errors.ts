/** Refusals of machines that share a run. */
import { ApiError } from '#shared/engine/errors.ts';

/** A machine must ask again later. The published client retries after its own pauses, not after `Retry-After`. */
export const sessionIsBusy = (seconds: number) =>
  new ApiError(429, `A machine stopped reporting. Ask again in ${seconds} seconds to run its spec files`, {
    headers: { 'Retry-After': String(seconds) },
  });
