/** The commit and the pull request of a run, in the repository of a notice. */
import { knownShas } from '#shared/model/commit.ts';
import type { GithubNotice } from '#shared/model/notice.ts';
import type { Run } from '#shared/model/run.ts';

const SHA = /^(?:[\da-f]{40}|[\da-f]{64})$/i;

export const shaOf = ({ commit }: Run): string | undefined =>
  knownShas(commit)
    .find((sha) => SHA.test(sha))
    ?.toLowerCase();

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
