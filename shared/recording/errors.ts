/** Errors that the recording protocols respond with. */
import { ApiError } from '#shared/engine/errors.ts';
import { recordingRefusal } from '#shared/lifecycle/errors.ts';

/** Messages of the recording protocols repeat ids, for example the run id beside an instance id. All must agree. */
export const contradictoryId = (name: string) =>
  new ApiError(
    400,
    `\`${name}\` contradicts the other ids of this request. Send the ids of one run, group, spec file and test`,
  );
/** §5.1 Unknown runs get the same answer. */
export const anotherBuild = () =>
  new ApiError(
    403,
    'This credential records only the CI build that its identity token names. Leave out other build ids, or use an API key',
  );
export const machineNotStarted = () =>
  recordingRefusal(
    'MACHINE_NOT_STARTED',
    'This machine does not record this run. Start with POST /v1/projects/{projectId}/recordings, and send the same machineId',
  );
export const unknownGroup = () =>
  recordingRefusal(
    'UNKNOWN_GROUP',
    'A group of this batch is unknown. Name every group in POST /v1/projects/{projectId}/recordings',
  );
export const tooManyGaps = (missingBatches: readonly number[]) =>
  recordingRefusal(
    'TOO_MANY_GAPS',
    `Too many earlier batches are missing. Send these first: ${missingBatches.join(', ')}`,
  );
export const missingSuite = () =>
  recordingRefusal(
    'MISSING_SUITE',
    'The test suite of this run is missing, or lacks this group or spec file. Send the full test suite before its results',
  );
