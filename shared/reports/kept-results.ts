/**
 * Limits the number of errors that an attempt keeps, and the total length of the texts and files that are kept, to
 * bound the memory that a request needs.
 */
import { cutText } from '#shared/engine/cut-text.ts';
import { type Attempt, type AttemptError, pickFacts } from '#shared/model/results/attempt.ts';
import type { AttemptEvidence, EvidenceStep } from '#shared/model/results/evidence.ts';
import { fitErrorsIntoBudget } from '#shared/recording/error-budget.ts';
import { type FoundAttempt, NO_OUTPUT } from './found.ts';
import { REPORT_LIMITS } from './limits.ts';

/** Tracks how many more characters may be kept from all files of one request. */
export class TextBudget {
  #left: number = REPORT_LIMITS.keptCharacters;

  /** Deducts the length of a text from the budget. Returns false and deducts nothing if the text does not fit. */
  take(characters: number): boolean {
    if (characters > this.#left) return false;
    this.#left -= characters;
    return true;
  }
}

/**
 * Called as soon as an attempt is found, because thousands of further ones may follow. Errors that do not fit are cut
 * to one short message. Evidence and files that do not fit are dropped.
 */
export function trimAttempt(attempt: FoundAttempt, budget: TextBudget): FoundAttempt {
  const { errors, evidence, files } = attempt;
  return {
    ...attempt,
    errors: errors.length === 0 || budget.take(countErrorCharacters(errors)) ? errors : shortenErrors(errors),
    evidence: !evidence || isEmpty(evidence) || !budget.take(measureEvidence(evidence)) ? undefined : evidence,
    ...(files && files.length > 0 && { files: files.filter(({ held }) => held === 0 || budget.take(held)) }),
  };
}

const countErrorCharacters = (errors: readonly AttemptError[]): number =>
  errors.reduce((sum, { message, stack, snippet }) => sum + message.length + getLength(stack) + getLength(snippet), 0);

const getLength = (text: string | null): number => text?.length ?? 0;

const shortenErrors = (errors: readonly AttemptError[]): AttemptError[] =>
  errors.slice(0, 1).map(({ message }) => ({
    message: cutText(message, REPORT_LIMITS.shortMessageCharacters),
    stack: null,
    location: null,
    snippet: null,
  }));

const isEmpty = ({ steps, stdout, stderr }: AttemptEvidence): boolean =>
  steps.length + stdout.length + stderr.length === 0;

const measureEvidence = ({ steps, stdout, stderr }: AttemptEvidence): number =>
  [...stdout, ...stderr].reduce((sum, text) => sum + text.length, 0) + measureSteps(steps);

const measureSteps = (steps: readonly EvidenceStep[]): number =>
  steps.reduce((sum, { title, category, error, steps: inner }) => {
    const ownSize = STEP_CHARACTERS + title.length + category.length + (error ? countErrorCharacters([error]) : 0);
    return sum + ownSize + measureSteps(inner);
  }, 0);
/** Memory overhead of a step, in characters. */
const STEP_CHARACTERS = 100;

/** `first`: the number of the first attempt. Earlier ones are not in the report. */
export function toAttempts(foundAttempts: readonly FoundAttempt[], first: number): Attempt[] {
  const attempts = foundAttempts.map(({ evidence, files, errors, ...attempt }, index) => ({
    ...attempt,
    ...pickFacts(attempt),
    attempt: first + index,
    errors: errors.length === 0 ? NO_ERRORS : errors.slice(0, REPORT_LIMITS.errorsPerAttempt),
  }));
  return attempts.every(({ errors }) => errors.length === 0) ? attempts : fitErrorsIntoBudget(attempts);
}

const NO_ERRORS: readonly AttemptError[] = [];

export const listEvidence = (foundAttempts: readonly FoundAttempt[]): AttemptEvidence[] =>
  foundAttempts.map(({ evidence }) => evidence ?? NO_OUTPUT);
