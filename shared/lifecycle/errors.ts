/** Refusals of changes of runs. */
import { ApiError } from '#shared/engine/errors.ts';

/** §6 The end of a run writes one event per group in one transaction, which bounds the number of groups. */
export const tooManyGroups = (limit: number) =>
  new ApiError(400, `A run has at most ${limit} groups. Record the other groups in a run with another CI build id`);
/** §4.4.3 A second cancellation of the same run. */
export const runAlreadyCancelled = () => new ApiError(422, 'This run is already cancelled');
/** `ends`: how each of the matching runs ended. */
export const nothingToCancel = (ends: readonly string[]) =>
  new ApiError(422, `No run was cancelled: ${ends.join('; ')}. Only a run in progress can be cancelled`);
export const runHasEnded = () => new ApiError(422, "This run has ended and can't be changed");

/** A refusal with the members that reporters read. */
export const recordingRefusal = (code: string, message: string) =>
  new ApiError(422, message, { code, body: { message, errors: [message] } });
export const runCancelled = () =>
  recordingRefusal('RUN_CANCELLED', 'This run is cancelled. Start a new run with another CI build id');
export const runExpired = () =>
  recordingRefusal(
    'RUN_EXPIRED',
    'This run has ended and accepts no more results. Start a new run with another CI build id',
  );
