/** The commit, branch, author and pull request of a run. Each of them is a link if there is a page for it. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Avatar } from '#shared/pages/design/parts.tsx';
import { buildCommitUrl } from './code-host.ts';
import { linkToPullRequests, linkToRuns } from './hrefs.ts';

interface Props {
  readonly visit: Parameters<typeof linkToRuns>[0];
  readonly commit: Commit;
  readonly pr: { readonly id: string; readonly title: string | null } | null;
}

export const CommitLinks = ({ visit, commit, pr }: Props): Html => {
  const { authorName, authorEmail, sha, branch } = commit;
  const page = buildCommitUrl(commit);
  const shortSha = sha?.slice(0, 7);
  return (
    <>
      {authorName !== null && (
        <a href={linkToRuns(visit, { 'authors[]': [authorEmail ?? authorName] })} title={`Runs of ${authorName}`}>
          <Avatar name={authorName} />
          {authorName}
        </a>
      )}
      {shortSha !== undefined && (
        <span>
          <Icon name="git-commit-horizontal" />
          {page === undefined ? (
            <code>{shortSha}</code>
          ) : (
            <a href={page} rel="noreferrer" title="Show the commit">
              <code>{shortSha}</code>
            </a>
          )}
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
        </a>
      )}
    </>
  );
};
