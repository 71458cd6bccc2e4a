/** What messages of every protocol say about a test. Long texts are truncated. */

import * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { keepFirst } from '#shared/engine/http/lists.ts';
import { isValidTime } from '#shared/engine/time.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { sentId, sentTitle } from '#shared/model/names.ts';
import { type Attempt, type AttemptError, type AttemptFacts, pickFacts } from '#shared/model/results/attempt.ts';
import { fitErrorsIntoBudget } from './error-budget.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { tags } from './run-wire.ts';

/** A long text is truncated, not refused. Lone surrogates are replaced, because UTF-8 cannot represent them. */
const text = (characters: number) => z.string().transform((value) => cutText(value, characters));

/** An invalid duration is 0, so that no result is lost. JSON parses a number such as 1e999 as infinity. */
const milliseconds = z
  .number()
  .catch(0)
  .transform((value) => Math.min(Math.trunc(value), MODEL_LIMITS.attemptMilliseconds));
const index = z.int().catch(-1);

export const Worker = z.object({ workerIndex: index, parallelIndex: index }).nullish().catch(null);

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

export const toStoredError = (error: z.output<typeof SentError>): AttemptError => ({
  message: error.message || error.value || 'Error without a message',
  stack: error.stack ?? null,
  snippet: error.snippet ?? null,
  location: error.location ?? null,
});

export const Outcome = z.enum(['passed', 'failed', 'pending', 'skipped']);

/** ISO 8601 or epoch milliseconds. `null` if it is not a valid date. */
export const sentTime = z
  .union([z.number(), z.string().transform((value) => Date.parse(value))])
  .nullish()
  .catch(null)
  .transform((time) => (time != null && isValidTime(time) ? Math.trunc(time) : null));

/** Members that are stored as they are. */
const attemptFacts = {
  workerIndex: index.nullish().transform((value) => value ?? undefined),
  parallelIndex: index.nullish().transform((value) => value ?? undefined),
} satisfies Record<keyof AttemptFacts, z.ZodType>;

/** The members of an attempt but for its outcome, which each protocol names. */
export const attemptMembers = {
  attempt: z.int().nonnegative().nullish(),
  status: text(MODEL_LIMITS.idCharacters).nullish(),
  startTime: sentTime,
  duration: milliseconds.nullish(),
  ...attemptFacts,
  errors: keepFirst(RECORDING_LIMITS.errorsPerAttempt, SentError).nullish(),
  error: SentError.nullish(),
};

interface SentAttempt extends z.output<z.ZodObject<typeof attemptMembers>> {
  readonly state: z.output<typeof Outcome>;
}

export const toAttempts = (all: readonly SentAttempt[]): Attempt[] => fitErrorsIntoBudget(all.map(toAttempt));

/** Old clients send only the first error of an attempt. */
function listSentErrors({ errors, error }: SentAttempt): readonly z.output<typeof SentError>[] {
  if (errors && errors.length > 0) return errors;
  return error ? [error] : [];
}

function toAttempt(sent: SentAttempt, position: number): Attempt {
  return {
    attempt: sent.attempt ?? position,
    state: sent.state,
    rawStatus: sent.status ?? sent.state,
    startedAt: sent.startTime,
    duration: Math.max(0, sent.duration ?? 0),
    ...pickFacts(sent),
    errors: listSentErrors(sent).map(toStoredError),
  };
}

const Annotation = z.object({
  type: text(RECORDING_LIMITS.annotationTypeCharacters),
  description: text(RECORDING_LIMITS.annotationDescriptionCharacters).nullish(),
});
export const Annotations = keepFirst(RECORDING_LIMITS.annotationsPerTest, Annotation)
  .nullish()
  .transform((all) => (all ?? []).map(({ type, description }) => ({ type, description: description ?? null })));

export const isFlaky = z
  .boolean()
  .nullish()
  .transform((flaky) => flaky ?? false);
export const expectedStatus = text(MODEL_LIMITS.idCharacters)
  .nullish()
  .transform((value) => value ?? 'passed');

/** A test whose result is final, with the attempts in the form of a protocol. */
export const makeFinishedTest = <Attempts extends z.ZodType<readonly Attempt[]>>(attempts: Attempts) =>
  z.object({
    testId: sentId,
    title: sentTitle,
    state: Outcome,
    isFlaky,
    expectedStatus,
    attempts,
    annotations: Annotations,
    tags,
  });
export type FinishedTest = z.output<ReturnType<typeof makeFinishedTest>>;
