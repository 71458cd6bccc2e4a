/**
 * A fake of GitHub's REST API: the commit statuses and comments of one repository, with pagination and error responses
 * as documented.
 */
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { type Received, receiver } from './receiver.ts';

export const TOKEN = 'github_pat_11AAAAAAA0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ01234';
export const REPOSITORY = 'acme/shop';
/** The head commit of every pull request. `MERGE` is the merge commit that CI tests. */
export const HEAD = 'a'.repeat(40);
export const MERGE = 'b'.repeat(40);

const Status = z.strictObject({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.url(),
  description: z.string().max(140),
  context: z.string(),
});
const Comment = z.strictObject({ body: z.string().min(1).max(65_536) });

export interface StoredStatus extends z.infer<typeof Status> {
  readonly sha: string;
}

interface StoredComment {
  readonly id: number;
  readonly issue: string;
  body: string;
  edits: number;
}

type Trouble = (response: ServerResponse, received: Received) => boolean;

const PAGE = 30;
const MOST_ON_PAGE = 100;

export class GithubStandIn {
  readonly url: string;
  readonly received: readonly Received[];
  readonly statuses: StoredStatus[] = [];
  readonly comments: StoredComment[] = [];
  /** Commits that the repository does not contain. */
  readonly unknownCommits = new Set<string>();
  readonly unknownPulls = new Set<string>();
  /** Head commits by the number of the pull request, if they differ from `HEAD`. */
  readonly heads = new Map<string, string>();
  /** The tokens that the fake API accepts. */
  tokens = [TOKEN];
  /** Answers requests in place of the fake API. If this function returns false, the fake API answers as usual. */
  trouble: Trouble = () => false;
  #nextId = 1000;

  private constructor(url: string, received: readonly Received[]) {
    this.url = url;
    this.received = received;
  }

  static async start(): Promise<GithubStandIn> {
    const made: { github?: GithubStandIn } = {};
    const { url, received } = await receiver((response, one) => made.github?.answer(response, one));
    made.github = new GithubStandIn(`${new URL(url).origin}/api/v3`, received);
    return made.github;
  }

  answer(response: ServerResponse, received: Received): void {
    if (this.trouble(response, received)) return;
    const { status, body, headers } = this.#answerTo(received);
    reply(response, status, body, headers);
  }

  #answerTo({ method, path, header, body }: Received): Answer {
    if (!header('user-agent')) return refusal(403, 'Request forbidden by administrative rules.');
    if (!this.tokens.includes((header('authorization') ?? '').replace('Bearer ', '')))
      return refusal(401, 'Bad credentials');
    const { pathname, searchParams } = new URL(path, 'http://github.invalid');
    const [, owner, name, rest = ''] = /^\/api\/v3\/repos\/([^/]+)\/([^/]+)(.*)$/.exec(pathname) ?? [];
    if (`${owner}/${name}` !== REPOSITORY) return NOT_FOUND;
    const [, part = '', id = '', more = ''] = /^\/([a-z]+)\/([^/]+)(.*)$/.exec(rest) ?? [];
    if (rest === '') return { status: 200, body: { full_name: REPOSITORY } };
    if (method === 'POST' && part === 'statuses') return this.#addStatus(id, body);
    if (method === 'GET' && part === 'pulls' && !this.unknownPulls.has(id)) return this.#pull(id);
    if (method === 'PATCH' && part === 'issues' && id === 'comments') return this.#edit(Number(more.slice(1)), body);
    if (part !== 'issues' || more !== '/comments' || this.unknownPulls.has(id)) return NOT_FOUND;
    return method === 'POST' ? this.#addComment(id, body) : this.#list(id, searchParams, pathname);
  }

  /** Adds a comment that the service did not write. */
  say(issue: string, body: string): void {
    this.comments.push({ id: this.#id(), issue, body, edits: 0 });
  }

  #id(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  #pull(id: string): Answer {
    const head = { sha: this.heads.get(id) ?? HEAD };
    return { status: 200, body: { number: Number(id), head, merge_commit_sha: MERGE } };
  }

  #addStatus(sha: string, body: string): Answer {
    const { data } = Status.safeParse(JSON.parse(body));
    if (!data) return refusal(422, 'Validation Failed');
    if (this.unknownCommits.has(sha)) return refusal(422, `No commit found for SHA: ${sha}`);
    this.statuses.push({ sha, ...data });
    return { status: 201, body: { id: this.#id(), ...data } };
  }

  #addComment(issue: string, body: string): Answer {
    const { data } = Comment.safeParse(JSON.parse(body));
    if (!data) return refusal(422, 'Validation Failed');
    const comment = { id: this.#id(), issue, body: data.body, edits: 0 };
    this.comments.push(comment);
    return { status: 201, body: shown(comment) };
  }

  #edit(id: number, body: string): Answer {
    const { data } = Comment.safeParse(JSON.parse(body));
    const comment = this.comments.find((one) => one.id === id);
    if (!comment) return NOT_FOUND;
    if (!data) return refusal(422, 'Validation Failed');
    comment.body = data.body;
    comment.edits += 1;
    return { status: 200, body: shown(comment) };
  }

  #list(issue: string, query: URLSearchParams, path: string): Answer {
    const size = Math.min(Number(query.get('per_page') ?? PAGE), MOST_ON_PAGE);
    const page = Number(query.get('page') ?? 1);
    const all = this.comments.filter((one) => one.issue === issue);
    const link = `<https://github.invalid${path}?page=${page + 1}>; rel="next"`;
    const headers: Answer['headers'] = all.length > page * size ? { Link: link } : {};
    return { status: 200, body: all.slice((page - 1) * size, page * size).map(shown), headers };
  }
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusal = (status: number, message: string): Answer => ({ status, body: { message } });
const NOT_FOUND = refusal(404, 'Not Found');

const shown = ({ id, body }: StoredComment) => ({ id, body, user: { login: 'rundown-bot', type: 'Bot' } });

export function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

/** Makes the fake API answer the next requests with `act`. Later requests get the usual answers again. */
export function troubleFor(
  github: GithubStandIn,
  times: number,
  act: (response: ServerResponse, received: Received) => void,
): void {
  let left = times;
  github.trouble = (response, received) => {
    if (left === 0) return false;
    left -= 1;
    act(response, received);
    return true;
  };
}
