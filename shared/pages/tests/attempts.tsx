/** The attempts of a test, and its outcome after all of them. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { OutcomeMark, outcomeOfTest, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import type { EvidenceLinks } from './evidence-links.ts';

/**
 * All attempts in order. If later attempts exist, the shown attempt must have failed, because a runner retries a test
 * only after a failure.
 */
function attemptsOf({ test, otherAttempts = [] }: TestContext) {
  const isLast = otherAttempts.every(({ attempt }) => attempt < test.attempt);
  const shown = { attempt: test.attempt, status: isLast ? test.status : 'failed', sameError: false };
  return [shown, ...otherAttempts]
    .map(({ attempt, status, sameError }) => ({ attempt, outcome: outcomeOfTest(status, false), sameError }))
    .toSorted((one, other) => one.attempt - other.attempt);
}

export const outcomeOfContext = (context: TestContext): ShownOutcome => {
  const hasFailed = attemptsOf(context).some(({ outcome }) => outcome === 'failed');
  return outcomeOfTest(context.test.status, context.test.status === 'passed' && hasFailed);
};

interface Props {
  readonly links: EvidenceLinks;
  readonly context: TestContext;
}

/** A link to each attempt. */
export function Attempts({ links, context }: Props): Html {
  const { test } = context;
  const all = attemptsOf(context);
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
