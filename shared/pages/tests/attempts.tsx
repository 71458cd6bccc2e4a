/** The attempts of a test, and its outcome after all of them. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatDuration } from '#shared/pages/design/format.tsx';
import { getOutcomeWord, OutcomeMark, type ShownOutcome, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Strip } from '#shared/pages/design/strip.tsx';
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

/** More attempts become a strip, because buttons for all of them would fill several lines. */
const MOST_BUTTONS = 4;

export function Attempts({ links, context }: Props): Html {
  const { test } = context;
  const attempts = listAttempts(context);
  if (attempts.length > MOST_BUTTONS)
    return (
      <Strip
        label="Attempts, the last one at the right"
        boxes={attempts.toReversed().map(({ attempt, outcome, duration }) => ({
          outcome,
          label: `Attempt ${attempt + 1}: ${getOutcomeWord(outcome)}, ${formatDuration(duration)}`,
          href: links.attempt(attempt),
          isCurrent: attempt === test.attempt,
        }))}
      />
    );
  return (
    <nav class="segments" aria-label="Attempts" hidden={attempts.length === 1}>
      {attempts.map(({ attempt, outcome, duration, sameError }) => (
        <a
          href={links.attempt(attempt)}
          aria-current={attempt === test.attempt ? 'page' : undefined}
          title={`${formatDuration(duration)}${sameError ? ', the same error as in the shown attempt' : ''}`}
        >
          <OutcomeMark outcome={outcome} size="small" /> Attempt {attempt + 1}
        </a>
      ))}
    </nav>
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
