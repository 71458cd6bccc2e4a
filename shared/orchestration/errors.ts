/** Errors for machines that share the spec files of a run. */
import { ApiError } from '#shared/engine/errors.ts';

export const otherShards = () =>
  new ApiError(
    409,
    'Another machine of this build planned its shards for other tests, or for another number of shards. Start all shards with the same tests, and set RUNDOWN_GROUP to tell the suites of a build apart',
  );

/** Tells a machine to ask again later. `pwc-p` ignores `Retry-After`, and retries after fixed delays. */
export const sessionIsBusy = (seconds: number) =>
  new ApiError(
    429,
    `Another machine may have stopped reporting. Retry in ${seconds} seconds to take over its spec files`,
    {
      headers: { 'Retry-After': String(seconds) },
    },
  );
