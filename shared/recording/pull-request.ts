/** The pull request a CI event belongs to, read off the links it carries. */
import type { Commit } from '../resources/commit.ts';
import type { Run } from '../resources/run.ts';

const NUMBERED = /\/(?:pull|pulls|issues|merge_requests)\/(\d{1,12})(?:$|[/?#])/;

export function pullRequestOf({ ghaEventData }: Commit): Run['pullRequest'] {
  const link = [ghaEventData?.htmlUrl, ghaEventData?.issueUrl].find((url) => url && NUMBERED.test(url));
  const number = NUMBERED.exec(link ?? '')?.[1];
  return number === undefined ? undefined : { id: number, title: ghaEventData?.prTitle ?? null };
}
