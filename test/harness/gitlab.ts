/**
 * A fake of GitLab's REST API: the commit statuses and merge request notes of one project, with pagination, transitions
 * and error responses as documented.
 */
import * as z from 'zod';
import { type Answer, HEAD, HostStandIn, MERGE, refusal, sentIn } from './code-host.ts';
import type { Received } from './receiver.ts';

export const GITLAB_PROJECT = 'acme/web/shop';
const PROJECT_ID = '4711';

const Status = z.strictObject({
  state: z.enum(['pending', 'running', 'success', 'failed', 'canceled', 'skipped']),
  target_url: z.url().max(255),
  description: z.string().max(255),
  name: z.string().max(255),
});
const Note = z.strictObject({ body: z.string().min(1).max(1_000_000) });

const PAGE = 20;
const NOT_FOUND = refusal(404, '404 Not found');
const EVENTS: Readonly<Record<string, string>> = { pending: 'enqueue', running: 'run' };

export class GitlabStandIn extends HostStandIn {
  static start(): Promise<GitlabStandIn> {
    return new GitlabStandIn().listen('/api/v4');
  }

  answerTo({ method, path, header, body }: Received): Answer {
    const token = header('private-token') ?? (header('authorization') ?? '').replace('Bearer ', '');
    if (!this.tokens.includes(token)) return refusal(401, '401 Unauthorized');
    const { pathname, searchParams: query } = new URL(path, 'http://gitlab.invalid');
    const [, project, rest = ''] = /^\/api\/v4\/projects\/([^/]+)(.*)$/.exec(pathname) ?? [];
    if (project !== encodeURIComponent(GITLAB_PROJECT) && project !== PROJECT_ID)
      return refusal(404, '404 Project Not Found');
    if (method !== 'GET' && header('content-type') !== 'application/json') return refusal(415, 'Unsupported');
    const [, part = '', id = '', more = ''] = /^\/([a-z_]+)\/([^/]+)(.*)$/.exec(rest) ?? [];
    if (rest === '') return { status: 200, body: { id: Number(PROJECT_ID), path_with_namespace: GITLAB_PROJECT } };
    if (method === 'POST' && part === 'statuses') return this.#addStatus(id, body);
    if (part !== 'merge_requests' || this.unknownPulls.has(id)) return NOT_FOUND;
    if (method === 'GET' && more === '') return this.#mergeRequest(id);
    if (method === 'GET' && more === '/notes')
      return this.list({ issue: id, query, path: pathname, defaultSize: PAGE });
    return this.#writeNote({ id, more, method, body });
  }

  #mergeRequest(id: string): Answer {
    const sha = this.heads.get(id) ?? HEAD;
    const diff_refs = { base_sha: 'd'.repeat(40), head_sha: sha, start_sha: 'd'.repeat(40) };
    // A merged results pipeline tests a merge commit instead of the head commit.
    const head_pipeline = { sha: MERGE, ref: `refs/merge-requests/${id}/merge` };
    return { status: 200, body: { iid: Number(id), sha, merge_commit_sha: null, diff_refs, head_pipeline } };
  }

  #addStatus(sha: string, body: string): Answer {
    const sent = sentIn(Status, body);
    if (!sent) return refusal(400, { state: ['is invalid'] });
    if (this.unknownCommits.has(sha)) return refusal(404, '404 Commit Not Found');
    const before = this.statuses.findLast((one) => one.sha === sha && one.name === sent.name)?.state ?? '';
    const event = EVENTS[sent.state];
    // GitLab refuses a status that repeats `pending` or `running`, or that goes from `running` back to `pending`. After
    // a final status, GitLab creates a new status with the same name.
    if (event && (before === sent.state || (sent.state === 'pending' && before === 'running'))) {
      const reason = `(Reason(s): Status cannot transition via "${event}")`;
      return refusal(400, `Cannot transition status via :${event} from :${before} ${reason}`);
    }
    this.statuses.push({ sha, ...sent });
    const { state: status, ...rest } = sent;
    return { status: 201, body: { id: this.newId(), sha, status, ...rest } };
  }

  #writeNote({ id, more, method, body }: Readonly<Record<'id' | 'more' | 'method' | 'body', string>>): Answer {
    const sent = sentIn(Note, body);
    if (!sent) return refusal(400, 'body is missing');
    // GitLab runs a line that begins with `/` as a command.
    if (/^\//m.test(sent.body)) return { status: 202, body: { commands_changes: {}, summary: [] } };
    if (method === 'POST' && more === '/notes') return this.addComment(id, sent.body);
    const comment = this.comments.find((one) => one.issue === id && more === `/notes/${one.id}`);
    return method === 'PUT' && comment ? this.edit(comment, sent.body) : NOT_FOUND;
  }
}
