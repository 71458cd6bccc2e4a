/** Finds the pull request of a CI event in its links. */
import type { Commit } from '#shared/model/commit.ts';
import type { Run } from '#shared/model/run.ts';

const NUMBERED = /\/(?:pull|pulls|issues|merge_requests)\/(\d{1,12})(?:$|[/?#])/;

export function pullRequestOf({ ghaEventData }: Commit): Run['pullRequest'] {
  const link = [ghaEventData?.htmlUrl, ghaEventData?.issueUrl].find((url) => url && NUMBERED.test(url));
  const number = NUMBERED.exec(link ?? '')?.[1];
  return number === undefined ? undefined : { id: number, title: ghaEventData?.prTitle ?? null };
}
