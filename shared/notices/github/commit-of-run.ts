/** The commit and the pull request of a run, in the repository of a notice. */
import type { GithubNotice } from '#shared/model/notice.ts';
import type { Run } from '#shared/model/run.ts';

const SHA = /^(?:[\da-f]{40}|[\da-f]{64})$/i;

/** A run of a pull request tests a merge commit, but people look at the head of their branch. */
export function shaOf({ commit: { sha, ghaEventData } }: Run): string | undefined {
  const [known] = [ghaEventData?.headSha, sha].filter((one) => typeof one === 'string' && SHA.test(one));
  return known?.toLowerCase();
}

const NUMBERED = /\/([^/]+\/[^/]+)\/(?:pull|pulls|issues)\/(\d{1,12})(?:$|[/?#])/;

/** A link to another repository names no pull request of this one. */
export function pullRequestNumber(
  { commit: { ghaEventData } }: Run,
  { repository }: Pick<GithubNotice, 'repository'>,
): string | undefined {
  for (const link of [ghaEventData?.htmlUrl, ghaEventData?.issueUrl]) {
    const [, named = '', number] = NUMBERED.exec(link ?? '') ?? [];
    if (named.toLowerCase() === repository.toLowerCase()) return number;
  }
  return undefined;
}
