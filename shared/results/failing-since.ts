/**
 * Finds out since when a test has been failing on the default branch. Pages, comparisons, failure contexts and issues
 * all use this file, so that they name the same commit.
 */
import type { FailingSince } from './failing-since-wire.ts';
import type { LatestExecutions } from './latest-executions.ts';

interface Asked {
  /** The default branch of the project. */
  readonly branch: string;
  readonly groupId: string;
  /** Executions after this run are ignored. If the run is not on the default branch, all executions count. */
  readonly runId?: string;
}

/**
 * Returns since when the test has been failing, or `undefined` if its last execution on the branch passed, or if none
 * of the executions is on the branch. Skipped executions are ignored.
 */
export function failingSince({ executions, hasMore }: LatestExecutions, asked: Asked): FailingSince | undefined {
  const all = executions.filter(({ commit, groupId, status }) => {
    const ran = status === 'passed' || status === 'failed';
    return ran && commit.branch === asked.branch && groupId === asked.groupId;
  });
  const own = all.slice(
    Math.max(
      0,
      all.findIndex(({ runId }) => runId === asked.runId),
    ),
  );
  const pass = own.findIndex(({ status }) => status === 'passed');
  const failures = pass === -1 ? own : own.slice(0, pass);
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
    mayBeEarlier: pass === -1 && hasMore,
  };
}

/**
 * The groups in which the test is failing, each with the first failure of the current series of failures in that group.
 */
export function failingGroups(latest: LatestExecutions, branch: string) {
  const groupIds = [...new Set(latest.executions.map(({ groupId }) => groupId))].sort();
  return groupIds.flatMap((groupId) => {
    const since = failingSince(latest, { branch, groupId });
    return since ? { groupId, since } : [];
  });
}
