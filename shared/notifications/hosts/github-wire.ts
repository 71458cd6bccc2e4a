/** GitHub's REST API, as far as notifications use it. */
import * as z from 'zod';
import { makeGithubDialect } from '#shared/hosts/github-wire.ts';
import type { CodeHost } from './host-api.ts';

const PULL_REQUEST_URL = /\/([^/]+\/[^/]+)\/(?:pull|pulls|issues)\/(\d{1,12})(?:$|[/?#])/;

// GitHub redirects from the old name of a repository to the new one.
const RENAMED = 'The repository was renamed. Save its new name';
const ELSEWHERE = 'The API address redirects to another page, such as a sign-in page. Correct the address';
/** The state of a cancelled run is `error` and not `failure`, because the run says nothing about the commit. */
const STATES = { running: 'pending', success: 'success', failure: 'failure', canceled: 'error' } as const;

export const GITHUB: CodeHost = {
  urlOf: ({ apiUrl, repository }) => `${apiUrl}/repos/${repository}`,
  makeDialect: makeGithubDialect,
  problems: {
    301: RENAMED,
    302: ELSEWHERE,
    303: ELSEWHERE,
    307: RENAMED,
    308: RENAMED,
    403: 'The token lacks a permission. It needs write access to commit statuses and pull requests',
    410: 'GitHub no longer accepts statuses or comments for this commit or pull request',
    422: 'GitHub does not know the commit, or refuses the text',
  },
  numberIn: (url, { repository }) => {
    const [, path = '', number] = PULL_REQUEST_URL.exec(url) ?? [];
    return path.toLowerCase() === repository.toLowerCase() ? number : undefined;
  },
  pullPath: (pull) => `/pulls/${pull}`,
  // For an open pull request, `merge_commit_sha` is the merge commit that CI tests.
  pullCommits: z
    .object({ head: z.object({ sha: z.string() }), merge_commit_sha: z.string().nullish() })
    .transform(({ head, merge_commit_sha: mergeCommit }) => [head.sha, ...(mergeCommit == null ? [] : [mergeCommit])]),
  commentsPath: (pull) => `/issues/${pull}/comments`,
  commentPath: (_, id) => `/issues/comments/${id}`,
  editMethod: 'PATCH',
  writeStatus: async (api, sha, { state, description, url, name }) => {
    const body = { state: STATES[state], description, target_url: url, context: name };
    await api.ask({ method: 'POST', path: `/statuses/${sha}`, body, subject: 'commit status' });
  },
};
