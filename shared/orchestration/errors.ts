/** Errors for machines that share the spec files of a run. */
import { ApiError } from '#shared/engine/errors.ts';

/** Tells a machine to ask again later. `pwc-p` ignores `Retry-After`, and retries after fixed delays. */
export const sessionIsBusy = (seconds: number) =>
  new ApiError(
    429,
    `Another machine may have stopped reporting. Retry in ${seconds} seconds to take over its spec files`,
    {
      headers: { 'Retry-After': String(seconds) },
    },
  );
