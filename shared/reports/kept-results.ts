/** Cuts what a test keeps: the number of attempts and errors, and their texts. Bounds the memory of a file. */
import type { Attempt, AttemptError } from '#shared/model/attempt.ts';
import type { AttemptEvidence, EvidenceStep } from '#shared/model/evidence.ts';
import { withinBudget } from '#shared/recording/error-budget.ts';
import { type FoundAttempt, NO_OUTPUT } from './found.ts';
import { REPORT_LIMITS } from './limits.ts';

/** The characters that a file may still keep. */
export class TextBudget {
  #left: number = REPORT_LIMITS.keptCharacters;

  /** Returns whether a text of this length fits. */
  take(characters: number): boolean {
    if (characters > this.#left) return false;
    this.#left -= characters;
    return true;
  }
}

export function keptAttempts(found: readonly FoundAttempt[], budget: TextBudget): Attempt[] {
  const attempts = found.map((attempt, index) => ({
    attempt: index,
    state: attempt.state,
    rawStatus: attempt.rawStatus,
    startedAt: attempt.startedAt,
    duration: attempt.duration,
    workerIndex: attempt.workerIndex ?? -1,
    parallelIndex: attempt.parallelIndex ?? -1,
    errors: attempt.errors.length === 0 ? NO_ERRORS : attempt.errors.slice(0, REPORT_LIMITS.errorsPerAttempt),
  }));
  if (attempts.every(({ errors }) => errors.length === 0)) return attempts;
  const kept = withinBudget(attempts);
  return budget.take(charactersOf(kept))
    ? kept
    : kept.map((attempt) => ({ ...attempt, errors: short(attempt.errors) }));
}

const NO_ERRORS: readonly AttemptError[] = [];

const charactersOf = (attempts: readonly Attempt[]): number =>
  attempts
    .flatMap(({ errors }) => errors)
    .reduce((sum, { message, stack, snippet }) => sum + message.length + lengthOf(stack) + lengthOf(snippet), 0);

const lengthOf = (text: string | null): number => text?.length ?? 0;

const short = (errors: readonly AttemptError[]): AttemptError[] =>
  errors.slice(0, 1).map(({ message }) => ({
    message: message.slice(0, REPORT_LIMITS.shortMessageCharacters).toWellFormed(),
    stack: null,
    location: null,
    snippet: null,
  }));

/** Steps and output of all attempts. Attempts that do not fit have none. */
export function keptEvidence(found: readonly FoundAttempt[], budget: TextBudget): AttemptEvidence[] {
  return found.map(({ evidence }) => {
    if (!evidence || isEmpty(evidence)) return NO_OUTPUT;
    return budget.take(sizeOf(evidence)) ? evidence : NO_OUTPUT;
  });
}

const isEmpty = ({ steps, stdout, stderr }: AttemptEvidence): boolean =>
  steps.length + stdout.length + stderr.length === 0;

const sizeOf = ({ steps, stdout, stderr }: AttemptEvidence): number =>
  [...stdout, ...stderr].reduce((sum, text) => sum + text.length, 0) + stepsSize(steps);

const stepsSize = (steps: readonly EvidenceStep[]): number =>
  steps.reduce((sum, step) => sum + STEP_CHARACTERS + step.title.length + stepsSize(step.steps), 0);
/** The memory of the objects of a step, in characters. */
const STEP_CHARACTERS = 100;
