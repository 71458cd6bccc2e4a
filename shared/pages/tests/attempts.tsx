/** The attempts of a test, and its outcome after all of them. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { OutcomeMark, type ShownOutcome, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import type { EvidenceLinks } from './evidence-links.ts';

/** If later attempts exist, the shown one must have failed, because a runner retries a test only after a failure. */
function listAttempts({ test, otherAttempts = [] }: TestContext) {
  const isLast = otherAttempts.every(({ attempt }) => attempt < test.attempt);
  const shownAttempt = { attempt: test.attempt, status: isLast ? test.status : 'failed', sameError: false };
  return [shownAttempt, ...otherAttempts]
    .map(({ attempt, status, sameError }) => ({ attempt, outcome: toShownOutcome(status, false), sameError }))
    .toSorted((one, other) => one.attempt - other.attempt);
}

export const getContextOutcome = (context: TestContext): ShownOutcome => {
  const hasFailed = listAttempts(context).some(({ outcome }) => outcome === 'failed');
  return toShownOutcome(context.test.status, context.test.status === 'passed' && hasFailed);
};

interface Props {
  readonly links: EvidenceLinks;
  readonly context: TestContext;
}

export function Attempts({ links, context }: Props): Html {
  const { test } = context;
  const all = listAttempts(context);
  return (
    <nav class="segments" aria-label="Attempts" hidden={all.length === 1}>
      {all.map(({ attempt, outcome, sameError }) => (
        <a
          href={links.attempt(attempt)}
          aria-current={attempt === test.attempt ? 'page' : undefined}
          title={sameError ? 'The same error as in the shown attempt' : undefined}
        >
          <OutcomeMark outcome={outcome} size="small" /> Attempt {attempt + 1}
        </a>
      ))}
    </nav>
  );
}
