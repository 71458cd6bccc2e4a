/** Errors for requests that a run does not accept, for example because it has ended. */
import { ApiError } from '#shared/engine/errors.ts';

/** §6 The number of groups is limited, because the transaction that ends a run writes one event per group. */
export const tooManyGroups = (limit: number) =>
  new ApiError(400, `A run can have at most ${limit} groups. Record other groups in a run with another CI build id`);
/** §4.4.3 The error for an attempt to cancel a run that is already cancelled. */
export const runAlreadyCancelled = () => new ApiError(422, 'This run is already cancelled. Nothing is left to cancel');
/** `ends` says for each matching run how it ended. */
export const nothingToCancel = (ends: readonly string[]) =>
  new ApiError(422, `No run was cancelled: ${ends.join('; ')}. Only a run in progress can be cancelled`);
export const runHasEnded = () =>
  new ApiError(422, "This run has ended and can't be changed. Only a run in progress can be cancelled or reset");

/** An error whose body contains the fields that reporters read. */
export const recordingRefusal = (code: string, message: string) =>
  new ApiError(422, message, { code, body: { message, errors: [message] } });
export const projectIsDeleted = (deletesAt: number) =>
  recordingRefusal(
    'PROJECT_DELETED',
    `This project was deleted, and its data will be removed on ${new Date(deletesAt).toISOString()}. Ask an Admin to restore it with PUT /v1/projects/{projectId}/restore, or record to another project`,
  );
export const runCancelled = () =>
  recordingRefusal('RUN_CANCELLED', 'This run is cancelled. Start a new run with another CI build id');
export const runExpired = () =>
  recordingRefusal(
    'RUN_EXPIRED',
    'This run has ended and accepts no more results. Start a new run with another CI build id',
  );
