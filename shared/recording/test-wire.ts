/** The properties that are read from messages about a test. Long texts are truncated. */

import * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { keepFirst } from '#shared/engine/http/lists.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { sentId, sentSpec, sentTitle } from '#shared/model/names.ts';
import type { Attempt, AttemptError } from '#shared/model/results/attempt.ts';
import { fitErrorsIntoBudget } from './error-budget.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { tags } from './run-wire.ts';
import { sentIds } from './sent-ids.ts';

/** A long text is truncated, not refused. Lone surrogates are replaced, because UTF-8 cannot represent them. */
const text = (characters: number) => z.string().transform((value) => cutText(value, characters));

/** An invalid duration is 0, so that no result is lost. JSON parses a number such as 1e999 as infinity. */
const milliseconds = z
  .number()
  .catch(0)
  .transform((value) => Math.min(Math.trunc(value), MODEL_LIMITS.attemptMilliseconds));
const index = z.int().catch(-1);

const Location = z.object({
  file: text(MODEL_LIMITS.specCharacters),
  line: z.int().catch(0),
  column: z.int().catch(0),
});

export const SentError = z.object({
  message: text(RECORDING_LIMITS.errorMessageCharacters).nullish(),
  value: text(RECORDING_LIMITS.errorMessageCharacters).nullish().catch(null),
  stack: text(RECORDING_LIMITS.errorStackCharacters).nullish(),
  snippet: text(RECORDING_LIMITS.errorSnippetCharacters).nullish(),
  location: Location.nullish().catch(null),
});

export const toStoredError = ({
  message,
  value,
  stack,
  snippet,
  location,
}: z.output<typeof SentError>): AttemptError => ({
  message: message || value || 'Error without a message',
  stack: stack ?? null,
  snippet: snippet ?? null,
  location: location ?? null,
});

const Outcome = z.enum(['passed', 'failed', 'pending', 'skipped']);

/** ISO 8601 or epoch milliseconds. `null` if it is not a valid date. */
const startTime = z
  .union([z.number(), z.string().transform((value) => Date.parse(value))])
  .nullish()
  .catch(null)
  .transform((value) => (value == null || Number.isNaN(new Date(value).getTime()) ? null : Math.trunc(value)));

export const WireAttempt = z.object({
  _s: Outcome,
  attempt: z.int().nonnegative().nullish(),
  status: text(MODEL_LIMITS.idCharacters).nullish(),
  startTime,
  duration: milliseconds.nullish(),
  workerIndex: index.nullish(),
  parallelIndex: index.nullish(),
  errors: keepFirst(RECORDING_LIMITS.errorsPerAttempt, SentError).nullish(),
  error: SentError.nullish(),
});

const Attempts = keepFirst(MODEL_LIMITS.attemptsPerTest, WireAttempt).transform((all) =>
  fitErrorsIntoBudget(all.map(toAttempt)),
);

function toAttempt(wire: z.output<typeof WireAttempt>, position: number): Attempt {
  const errors = wire.errors?.length ? wire.errors : wire.error ? [wire.error] : [];
  return {
    attempt: wire.attempt ?? position,
    state: wire._s,
    rawStatus: wire.status ?? wire._s,
    startedAt: wire.startTime,
    duration: Math.max(0, wire.duration ?? 0),
    workerIndex: wire.workerIndex ?? -1,
    parallelIndex: wire.parallelIndex ?? -1,
    errors: errors.map(toStoredError),
  };
}

const Annotation = z.object({
  type: text(RECORDING_LIMITS.annotationTypeCharacters),
  description: text(RECORDING_LIMITS.annotationDescriptionCharacters).nullish(),
});
const Annotations = keepFirst(RECORDING_LIMITS.annotationsPerTest, Annotation)
  .nullish()
  .transform((all) => (all ?? []).map(({ type, description }) => ({ type, description: description ?? null })));

const isFlaky = z
  .boolean()
  .nullish()
  .transform((flaky) => flaky ?? false);
const expectedStatus = text(MODEL_LIMITS.idCharacters)
  .nullish()
  .transform((value) => value ?? 'passed');

const messageMembers = {
  _t: z.int().nonnegative(),
  _s: Outcome,
  _d: z.boolean(),
  _f: isFlaky,
  attempts: Attempts,
  annotations: Annotations,
  tags,
};

export type TestMessage = z.output<z.ZodObject<typeof messageMembers>>;

const { groupId, ...sentWithUpdates } = sentIds;
export const UpdateTestRecordBody = z.object({ ...messageMembers, ...sentWithUpdates });
export type UpdateTestRecordBody = z.output<typeof UpdateTestRecordBody>;

export const CreateTestRecordBody = z.object({
  ...messageMembers,
  instanceId: sentId,
  runId: sentId,
  groupId: sentId,
  testId: sentId,
  machineId: sentId.nullish(),
  spec: sentSpec,
  title: sentTitle,
  expectedStatus,
});
export type CreateTestRecordBody = z.output<typeof CreateTestRecordBody>;

/** A test in a batch upload. Its result is already final. */
export const BatchTest = z.object({
  testId: sentId,
  title: sentTitle,
  state: Outcome,
  isFlaky,
  expectedStatus,
  attempts: Attempts,
  annotations: Annotations,
  tags,
});
export type BatchTest = z.output<typeof BatchTest>;

/** Not parsed here: `parseEvidence` reads it from the raw message, and only if the test failed or was flaky. */
const evidence = z.array(z.unknown()).nullish().catch(null);

const RecordedAttempt = WireAttempt.omit({ _s: true }).extend({
  state: Outcome,
  steps: evidence,
  stdout: evidence,
  stderr: evidence,
});

const RecordedAttempts = keepFirst(MODEL_LIMITS.attemptsPerTest, RecordedAttempt).transform((all) =>
  fitErrorsIntoBudget(all.map(({ state, ...attempt }, position) => toAttempt({ ...attempt, _s: state }, position))),
);

/** A finished test, as our own reporters send it. */
export const RecordedTest = BatchTest.extend({ attempts: RecordedAttempts });

export const TestRecordAnswer = z.object({ recordId: z.string() });
