/** The latest executions of a test. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatFullTime } from '#shared/pages/design/format.tsx';
import { getOutcomeWord, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Strip } from '#shared/pages/design/strip.tsx';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** If a strip mixed several branches, a test that fails on only one of them would look flaky. */
export const selectStripExecutions = (
  executions: readonly ShownExecution[],
  of: { readonly branch: string; readonly groupId: string; readonly runId: string },
): ShownExecution[] =>
  executions.filter(
    ({ commit, groupId, runId }) => groupId === of.groupId && (commit.branch === of.branch || runId === of.runId),
  );

/** A strip has the executions on the default branch, and that of the run itself. */
export function nameStrip({ project }: ProjectVisit, executions: readonly ShownExecution[]): string {
  const { defaultBranchName } = project;
  const hasOther = executions.some(({ commit }) => commit.branch !== defaultBranchName);
  return hasOther ? `${defaultBranchName}, and this run` : defaultBranchName;
}

interface Props {
  readonly visit: ProjectVisit;
  /** Newest first. */
  readonly executions: readonly ShownExecution[];
  readonly current?: string;
  /** The label for screen readers. Default: a label for executions on the default branch. */
  readonly label?: string;
}

export const ExecutionStrip = ({ visit, executions, current, label }: Props): Html => (
  <Strip
    label={label ?? `Executions on ${nameStrip(visit, executions)}, newest last`}
    boxes={executions.map((row) => {
      const outcome = toShownOutcome(row.status, row.flaky);
      return {
        outcome,
        label: `${getOutcomeWord(outcome)} on ${row.commit.branch ?? 'no branch'}, ${formatFullTime(row.createdAt)}`,
        href: linkToTestOfRun(visit, row),
        isCurrent: row.runId === current,
      };
    })}
  />
);
