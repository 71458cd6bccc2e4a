/** The commit, branch, author and pull request of a run. Each of them is a link if there is a page for it. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Avatar } from '#shared/pages/design/parts.tsx';
import { buildCommitUrl } from './code-host.ts';
import { shortenSha } from './commit-names.ts';
import { linkToPullRequests, linkToRuns } from './hrefs.ts';

interface Props {
  readonly visit: Parameters<typeof linkToRuns>[0];
  readonly commit: Commit;
  readonly pr: { readonly id: string; readonly title: string | null } | null;
}

export const CommitLinks = ({ visit, commit, pr }: Props): Html => {
  const { authorName, authorEmail, sha, branch } = commit;
  return (
    <>
      {authorName !== null && (
        <a href={linkToRuns(visit, { 'authors[]': [authorEmail ?? authorName] })} title={`Runs of ${authorName}`}>
          <Avatar name={authorName} />
          {authorName}
        </a>
      )}
      {sha !== null && (
        <span>
          <Icon name="git-commit-horizontal" />
          <CommitSha remoteOrigin={commit.remoteOrigin} sha={sha} title="Show the commit" />
        </span>
      )}
      {branch !== null && (
        <a href={linkToRuns(visit, { 'branches[]': [branch] })} title={`Runs of ${branch}`}>
          <Icon name="git-branch" />
          {branch}
        </a>
      )}
      {pr && (
        <a href={linkToPullRequests(visit, pr.id)} title={pr.title ?? `Pull request ${pr.id}`}>
          <Icon name="git-pull-request" />#{pr.id}
          {pr.title !== null && <span class="wide">{pr.title}</span>}
        </a>
      )}
    </>
  );
};

interface ShaProps {
  readonly remoteOrigin: string | null;
  readonly sha: string;
  readonly title?: string;
}

/** A link to the commit at the host of its repository, if the host is known. */
export function CommitSha({ remoteOrigin, sha, title }: ShaProps): Html {
  const page = buildCommitUrl({ remoteOrigin, sha });
  const name = <code>{shortenSha(sha)}</code>;
  if (page === undefined) return name;
  return (
    <a href={page} rel="noreferrer" title={title}>
      {name}
    </a>
  );
}
