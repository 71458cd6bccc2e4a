/** The attempts of a test, and its outcome after all of them. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { normalizeError } from '#shared/errors/same-error.ts';
import { formatDuration } from '#shared/pages/design/format.tsx';
import { getOutcomeWord, OutcomeMark, type ShownOutcome, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import type { EvidenceLinks } from './evidence-links.ts';

/** If later attempts exist, the shown one must have failed, because a runner retries a test only after a failure. */
function listAttempts({ test, otherAttempts = [] }: TestContext) {
  const isLast = otherAttempts.every(({ attempt }) => attempt < test.attempt);
  const shownAttempt = {
    attempt: test.attempt,
    status: isLast ? test.status : 'failed',
    duration: test.duration,
    sameError: false,
  };
  return [shownAttempt, ...otherAttempts]
    .toSorted((one, other) => one.attempt - other.attempt)
    .map(({ attempt, status, duration, sameError }) => ({
      attempt,
      outcome: toShownOutcome(status, false),
      duration,
      sameError,
    }));
}

export const getContextOutcome = (context: TestContext): ShownOutcome => {
  const hasFailed = listAttempts(context).some(({ outcome }) => outcome === 'failed');
  return toShownOutcome(context.test.status, context.test.status === 'passed' && hasFailed);
};

interface Props {
  readonly links: EvidenceLinks;
  readonly context: TestContext;
}

/** With more attempts, buttons have only their numbers. */
const MOST_NAMED = 3;

export function Attempts({ links, context }: Props): Html {
  const { test } = context;
  const attempts = listAttempts(context);
  if (attempts.length === 1) return <></>;
  const odd = findOddAttempt(context)?.attempt;
  return (
    <nav class="segments" aria-label="Attempts">
      {attempts.map(({ attempt, outcome, duration, sameError }) => {
        const name = `Attempt ${attempt + 1}`;
        const title = [
          getOutcomeWord(outcome),
          formatDuration(duration),
          sameError && 'the same error as in the shown attempt',
          attempt === odd && 'another error than in the other attempts',
        ];
        return (
          <a
            href={links.attempt(attempt)}
            aria-current={attempt === test.attempt ? 'page' : undefined}
            title={`${name}: ${title.filter(Boolean).join(', ')}`}
          >
            <OutcomeMark outcome={outcome} size="small" />{' '}
            {attempts.length > MOST_NAMED ? (
              <>
                <span class="hidden-text">Attempt</span> {attempt + 1}
              </>
            ) : (
              name
            )}
            {attempt === odd && <strong class="word flaky">differs</strong>}
          </a>
        );
      })}
    </nav>
  );
}

interface AttemptError {
  readonly attempt: number;
  readonly message: string;
}

/** The only attempt that failed differently than each other one, of which there are at least two. */
function findOddAttempt({ test, error, otherAttempts = [] }: TestContext): AttemptError | undefined {
  const others = otherAttempts.flatMap((one) => (one.error ? { ...one.error, attempt: one.attempt } : []));
  if (!error || others.length < 2) return undefined;
  const errors = [{ ...error, attempt: test.attempt }, ...others];
  const attemptsByError = Map.groupBy(errors, ({ message }) => normalizeError(message));
  const oddErrors = [...attemptsByError.values()].filter(({ length }) => length === 1);
  return attemptsByError.size === 2 && oddErrors.length === 1 ? oddErrors[0]?.[0] : undefined;
}

const LINE_CHARACTERS = 200;

/** How the odd attempt failed, unless it is the shown one. */
export function OddAttempt({ links, context }: Props): Html {
  const odd = findOddAttempt(context);
  if (!odd || odd.attempt === context.test.attempt) return <></>;
  return (
    <p>
      <a href={links.attempt(odd.attempt)}>Attempt {odd.attempt + 1}</a> failed differently:{' '}
      <code class="wrap">{formatErrorLine({ message: odd.message, stack: null, snippet: null }, LINE_CHARACTERS)}</code>
    </p>
  );
}

/** Whether all attempts failed for the same reason, which tells a steady failure from a flaky one. */
export function describeErrors({ error, otherAttempts = [] }: TestContext): string | undefined {
  if (!error || otherAttempts.length === 0) return undefined;
  const failures = otherAttempts.filter((one) => one.error);
  if (failures.length === 0) return undefined;
  const count = 1 + failures.length;
  const equalErrors = 1 + failures.filter(({ sameError }) => sameError).length;
  if (equalErrors === count) return count === 2 ? 'the same error in both' : `the same error in all ${count}`;
  return `this error in ${equalErrors} of ${count} failed attempts`;
}
