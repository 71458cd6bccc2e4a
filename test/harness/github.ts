/**
 * A fake of GitHub's REST API: the commit statuses and comments of one repository, with pagination and error responses
 * as documented.
 */
import * as z from 'zod';
import { type Answer, HEAD, HostStandIn, MERGE, refusal, sentIn } from './code-host.ts';
import type { Received } from './receiver.ts';

export const REPOSITORY = 'acme/shop';

const Status = z
  .strictObject({
    state: z.enum(['error', 'failure', 'pending', 'success']),
    target_url: z.url(),
    description: z.string().max(140),
    context: z.string(),
  })
  .transform(({ context: name, ...status }) => ({ ...status, name }));
const Comment = z.strictObject({ body: z.string().min(1).max(65_536) });

const PAGE = 30;
const NOT_FOUND = refusal(404, 'Not Found');
const INVALID = refusal(422, 'Validation Failed');

export class GithubStandIn extends HostStandIn {
  static start(): Promise<GithubStandIn> {
    return new GithubStandIn().listen('/api/v3');
  }

  answerTo({ method, path, header, body }: Received): Answer {
    if (!header('user-agent')) return refusal(403, 'Request forbidden by administrative rules.');
    if (!this.tokens.includes((header('authorization') ?? '').replace('Bearer ', '')))
      return refusal(401, 'Bad credentials');
    const { pathname, searchParams: query } = new URL(path, 'http://github.invalid');
    const [, owner, name, rest = ''] = /^\/api\/v3\/repos\/([^/]+)\/([^/]+)(.*)$/.exec(pathname) ?? [];
    if (`${owner}/${name}` !== REPOSITORY) return NOT_FOUND;
    const [, part = '', id = '', more = ''] = /^\/([a-z]+)\/([^/]+)(.*)$/.exec(rest) ?? [];
    if (rest === '') return { status: 200, body: { full_name: REPOSITORY } };
    if (method === 'POST' && part === 'statuses') return this.#addStatus(id, body);
    if (method === 'GET' && part === 'pulls' && !this.unknownPulls.has(id)) return this.#pull(id);
    if (method === 'PATCH' && part === 'issues' && id === 'comments') return this.#edit(Number(more.slice(1)), body);
    if (part !== 'issues' || more !== '/comments' || this.unknownPulls.has(id)) return NOT_FOUND;
    if (method !== 'POST') return this.list({ issue: id, query, path: pathname, defaultSize: PAGE });
    const sent = sentIn(Comment, body);
    return sent ? this.addComment(id, sent.body) : INVALID;
  }

  #pull(id: string): Answer {
    const head = { sha: this.heads.get(id) ?? HEAD };
    return { status: 200, body: { number: Number(id), head, merge_commit_sha: MERGE } };
  }

  #addStatus(sha: string, body: string): Answer {
    const sent = sentIn(Status, body);
    if (!sent) return INVALID;
    if (this.unknownCommits.has(sha)) return refusal(422, `No commit found for SHA: ${sha}`);
    this.statuses.push({ sha, ...sent });
    return { status: 201, body: { id: this.newId(), ...sent } };
  }

  #edit(id: number, body: string): Answer {
    const comment = this.comments.find((one) => one.id === id);
    if (!comment) return NOT_FOUND;
    const sent = sentIn(Comment, body);
    return sent ? this.edit(comment, sent.body) : INVALID;
  }
}
