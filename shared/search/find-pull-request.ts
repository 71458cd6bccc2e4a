/** A search for a number, such as `#214`, finds the pull request with exactly this number. */
import type { WithTable } from '#shared/engine/table/table.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { getRunsOfPullRequestSpan, runsOfPullRequest } from '#shared/model/runs/pull-request.ts';

const NUMBER = /^#?(\d{1,20})$/;

/** The number of the pull request, if the project has a run of it. */
export async function findPullRequest(
  { table }: WithTable,
  project: ProjectKey,
  text: string,
): Promise<string | undefined> {
  const [, pullRequestId] = NUMBER.exec(text.trim()) ?? [];
  if (pullRequestId === undefined) return undefined;
  const span = getRunsOfPullRequestSpan({ ...project, pullRequestId });
  const { rows } = await table.query(runsOfPullRequest, span, { limit: 1 });
  return rows.length > 0 ? pullRequestId : undefined;
}
