/** Since when a test fails on the default branch. Whatever shows it uses this file, so that all name the same commit. */
import type { FailingSince } from './failing-since-wire.ts';
import type { LatestExecutions } from './latest-executions.ts';

interface FailingSinceQuery {
  /** The default branch of the project. */
  readonly branch: string;
  readonly groupId: string;
  /** Executions after this run are ignored. If the run is not on the default branch, all executions count. */
  readonly runId?: string;
}

/** `undefined` if the last execution on the branch passed, or none is on it. Skipped executions are ignored. */
export function findFailingSince(
  { executions, hasMore }: LatestExecutions,
  query: FailingSinceQuery,
): FailingSince | undefined {
  const results = executions.filter(
    ({ commit, groupId, status }) =>
      groupId === query.groupId && commit.branch === query.branch && (status === 'passed' || status === 'failed'),
  );
  const runIndex = results.findIndex(({ runId }) => runId === query.runId);
  const resultsUpToRun = runIndex === -1 ? results : results.slice(runIndex);
  const passIndex = resultsUpToRun.findIndex(({ status }) => status === 'passed');
  const failures = passIndex === -1 ? resultsUpToRun : resultsUpToRun.slice(0, passIndex);
  const first = failures.at(-1);
  if (!first) return undefined;
  const { runId, instanceId, testId, createdAt, commit } = first;
  return {
    runId,
    instanceId,
    testId,
    createdAt,
    sha: commit.sha ?? null,
    title: commit.message?.split('\n', 1)[0] ?? null,
    authorName: commit.authorName ?? null,
    failures: failures.length,
    mayBeEarlier: passIndex === -1 && hasMore,
  };
}

/** Each group with the first failure of the current series of failures in it. */
export function listFailingGroups(history: LatestExecutions, branch: string) {
  const groupIds = [...new Set(history.executions.map(({ groupId }) => groupId))].sort();
  return groupIds.flatMap((groupId) => {
    const since = findFailingSince(history, { branch, groupId });
    return since ? { groupId, since } : [];
  });
}
