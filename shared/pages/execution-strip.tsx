/** The latest executions of a test. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ShownExecution } from '#shared/results/latest-executions.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { testOfRunHref } from './hrefs.ts';
import { outcomeOfTest, wordOf } from './outcome.tsx';
import { Strip } from './strip.tsx';

interface Props {
  readonly visit: ProjectVisit;
  /** Newest first. */
  readonly executions: readonly ShownExecution[];
  readonly current?: string;
}

export const ExecutionStrip = ({ visit, executions, current }: Props): Html => (
  <Strip
    label="Executions, newest last"
    boxes={executions.map((row) => {
      const outcome = outcomeOfTest(row.status, row.flaky);
      return {
        outcome,
        label: `${wordOf(outcome)} on ${row.commit.branch ?? 'no branch'}, ${row.createdAt}`,
        href: testOfRunHref(visit, row),
        isCurrent: row.runId === current,
      };
    })}
  />
);
