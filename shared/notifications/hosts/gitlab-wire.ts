/** GitLab's REST API, as far as notifications use it. */
import * as z from 'zod';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import { BAD_REQUEST, NOT_FOUND } from '#shared/hosts/api-client.ts';
import { makeGitlabDialect } from '#shared/hosts/gitlab-wire.ts';
import { DeliveryProblem } from '#shared/notifications/delivery-problem.ts';
import type { CodeHost } from './host-api.ts';

const MOVED =
  'GitLab redirects to another address. The project was renamed, or the API address is wrong. Correct one of them';
const MERGE_REQUEST_PATH = /^(.*?)\/(?:-\/)?merge_requests\/(\d{1,12})(?:$|\/)/;
const isId = (repository: string): boolean => /^\d+$/.test(repository);
const STATES = { running: 'running', success: 'success', failure: 'failed', canceled: 'canceled' } as const;

const optionalSha = z.string().nullish();

export const GITLAB: CodeHost = {
  urlOf: ({ apiUrl, repository }) => `${apiUrl}/projects/${encodeURIComponent(repository)}`,
  makeDialect: makeGitlabDialect,
  problems: {
    ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [status, MOVED])),
    400: 'GitLab refuses the text or the state',
    403: 'The token lacks a permission. It needs the scope api and the role Developer, or Maintainer for commits of protected branches',
    409: 'GitLab is writing another status of the commit',
    422: 'GitLab could not process the request',
  },
  /** Compares the whole path, because GitLab may be below a path. With a numeric id, any merge request is accepted. */
  numberIn: (url, { apiUrl, repository }) => {
    const [, path = '', number] = MERGE_REQUEST_PATH.exec(URL.parse(url)?.pathname ?? '') ?? [];
    const root = new URL(apiUrl).pathname.replace(/\/api\/v4$/, '');
    const expectedPath = `${trimFinalSlashes(root)}/${repository}`;
    return isId(repository) || path.toLowerCase() === expectedPath.toLowerCase() ? number : undefined;
  },
  pullPath: (pull) => `/merge_requests/${pull}`,
  pullCommits: z
    .object({
      // Every merge request has this member, so an answer without it is none about a merge request.
      sha: z.string().nullable(),
      diff_refs: z.object({ head_sha: optionalSha }).nullish(),
      merge_commit_sha: optionalSha,
      // A merged results pipeline tests a merge commit that only the pipeline names.
      head_pipeline: z.object({ sha: optionalSha }).nullish(),
    })
    .transform((merge) =>
      [merge.sha, merge.diff_refs?.head_sha, merge.merge_commit_sha, merge.head_pipeline?.sha].filter(
        (one) => typeof one === 'string',
      ),
    ),
  commentsPath: (pull) => `/merge_requests/${pull}/notes`,
  commentPath: (pull, id) => `/merge_requests/${pull}/notes/${id}`,
  editMethod: 'PUT',
  writeStatus: async (api, commit, { state: runState, description, url, name }) => {
    const state = STATES[runState];
    const body = { state, name, target_url: url, description };
    const call = { method: 'POST', path: `/statuses/${commit}`, body, subject: 'commit status' } as const;
    const answer = await api.ask({ ...call, except: [BAD_REQUEST, NOT_FOUND] });
    if (answer.statusCode === NOT_FOUND) {
      // A missing commit affects only this run, but a missing project affects all runs.
      await api.requireRepository();
      throw new DeliveryProblem(
        { kind: 'pointless' },
        `Commit ${commit} was not found on any branch of the project`,
        NOT_FOUND,
      );
    }
    if (answer.statusCode === BAD_REQUEST && parseStateBefore(api.quoteMessage(answer)) !== state)
      throw api.explainRefusal(answer, call.subject);
  },
};

/** GitLab refuses to set a running status to running again, for example after the first response was lost. */
const parseStateBefore = (message: string): string | undefined =>
  /^Cannot transition status via :\w+ from :(\w+)/.exec(message)?.[1];
