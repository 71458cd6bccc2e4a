/** The commit, branch, author and pull request of a run. Each of them is a link if there is a page for it. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Avatar } from '#shared/pages/design/parts.tsx';
import { pullRequestsHref, runsHref } from './hrefs.ts';

const HOSTS: Readonly<Record<string, string>> = {
  'github.com': '/commit/',
  'gitlab.com': '/-/commit/',
  'bitbucket.org': '/commits/',
};
const REPOSITORY = /^(?:https:\/\/|ssh:\/\/)?(?:[\w.-]{1,64}@)?([\w.-]{1,64})[:/]([\w./-]{1,256})$/;
const SHA = /^[0-9a-f]{7,64}$/;

/**
 * The URL of a commit on GitHub, GitLab or Bitbucket. Reporters may send any text as the repository, so the URL is
 * built from its parts, and only for these hosts.
 */
export function commitUrl({ remoteOrigin, sha }: Pick<Commit, 'remoteOrigin' | 'sha'>): string | undefined {
  const [, host = '', path = ''] = REPOSITORY.exec(remoteOrigin ?? '') ?? [];
  const page = Object.hasOwn(HOSTS, host) ? HOSTS[host] : undefined;
  if (page === undefined || sha === null || !SHA.test(sha)) return undefined;
  return `https://${host}/${path.replace(/\.git$/, '').replaceAll(/^\/|\/$/g, '')}${page}${sha}`;
}

interface Props {
  readonly visit: Parameters<typeof runsHref>[0];
  readonly commit: Commit;
  readonly pr: { readonly id: string; readonly title: string | null } | null;
}

export const CommitLinks = ({ visit, commit, pr }: Props): Html => {
  const { authorName, authorEmail, sha, branch } = commit;
  const page = commitUrl(commit);
  const short = sha?.slice(0, 7);
  return (
    <>
      {authorName !== null && (
        <a href={runsHref(visit, { 'authors[]': [authorEmail ?? authorName] })} title={`Runs of ${authorName}`}>
          <Avatar name={authorName} />
          {authorName}
        </a>
      )}
      {short !== undefined && (
        <span>
          <Icon name="git-commit-horizontal" />
          {page === undefined ? (
            <code>{short}</code>
          ) : (
            <a href={page} rel="noreferrer" title="Show the commit">
              <code>{short}</code>
            </a>
          )}
        </span>
      )}
      {branch !== null && (
        <a href={runsHref(visit, { 'branches[]': [branch] })} title={`Runs of ${branch}`}>
          <Icon name="git-branch" />
          {branch}
        </a>
      )}
      {pr && (
        <a href={pullRequestsHref(visit, pr.id)} title={pr.title ?? `Pull request ${pr.id}`}>
          <Icon name="git-pull-request" />#{pr.id}
        </a>
      )}
    </>
  );
};
