/** The latest executions of a test as a row of signs, newest right. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ShownExecution } from '#shared/results/latest-executions.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { testOfRunHref } from './hrefs.ts';
import { outcomeOfTest, signOf } from './outcome.tsx';

interface Props {
  readonly visit: ProjectVisit;
  /** Newest first. */
  readonly executions: readonly ShownExecution[];
  readonly current?: string;
}

export const ExecutionStrip = ({ visit, executions, current }: Props): Html => (
  <ol class="strip" aria-label="Executions, newest last">
    {executions.toReversed().map((row) => {
      const outcome = outcomeOfTest(row.status, row.flaky);
      const label = `${outcome} on ${row.commit.branch ?? 'no branch'}, ${row.createdAt}`;
      return (
        <li>
          <a
            class={outcome}
            href={testOfRunHref(visit, row)}
            title={label}
            aria-label={label}
            aria-current={row.runId === current ? 'true' : undefined}
          >
            {signOf(outcome)}
          </a>
        </li>
      );
    })}
  </ol>
);
