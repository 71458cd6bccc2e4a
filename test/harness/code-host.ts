/** What the stand-ins for code hosts have in common: the commit statuses and comments of one repository. */
import type { ServerResponse } from 'node:http';
import type * as z from 'zod';
import { type Received, receiver } from './receiver.ts';

export const TOKEN = 'github_pat_11AAAAAAA0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ01234';
/** The head commit of each pull request that `heads` does not list. `MERGE` is the merge commit that CI tests. */
export const HEAD = 'a'.repeat(40);
export const MERGE = 'b'.repeat(40);

interface StoredStatus {
  readonly sha: string;
  readonly state: string;
  readonly description: string;
  readonly target_url: string;
  readonly name: string;
}

interface StoredComment {
  readonly id: number;
  /** The number of the pull request. */
  readonly issue: string;
  body: string;
  edits: number;
}

export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

type Trouble = (response: ServerResponse, received: Received) => boolean;

export const refusal = (status: number, message: string | object): Answer => ({ status, body: { message } });

interface Listing {
  readonly issue: string;
  readonly query: URLSearchParams;
  readonly path: string;
  readonly defaultSize: number;
}

const MOST_ON_PAGE = 100;

export abstract class HostStandIn {
  url = '';
  received: readonly Received[] = [];
  readonly statuses: StoredStatus[] = [];
  readonly comments: StoredComment[] = [];
  /** Commits that the repository does not contain. */
  readonly unknownCommits = new Set<string>();
  readonly unknownPulls = new Set<string>();
  /** Head commits by the number of the pull request, if they differ from `HEAD`. */
  readonly heads = new Map<string, string>();
  /** The tokens that the fake API accepts. */
  tokens = [TOKEN];
  /** Responds to a request in place of the fake API. If this function returns false, the fake API responds as usual. */
  trouble: Trouble = () => false;
  #nextId = 1000;

  /** Handles a request as the real code host would, and returns the response. */
  abstract answerTo(received: Received): Answer;

  protected async listen(path: string): Promise<this> {
    const { url, received } = await receiver((response, one) => {
      if (this.trouble(response, one)) return;
      const { status, body, headers } = this.answerTo(one);
      reply(response, status, body, headers);
    });
    this.url = `${new URL(url).origin}${path}`;
    this.received = received;
    return this;
  }

  /** Adds a comment. Tests use this for comments that the service did not write. */
  say(issue: string, body: string): void {
    this.comments.push({ id: this.newId(), issue, body, edits: 0 });
  }

  protected newId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  protected addComment(issue: string, body: string): Answer {
    this.say(issue, body);
    return { status: 201, body: shown(this.comments.at(-1)) };
  }

  protected edit(comment: StoredComment, body: string): Answer {
    comment.body = body;
    comment.edits += 1;
    return { status: 200, body: shown(comment) };
  }

  protected list({ issue, query, path, defaultSize }: Listing): Answer {
    const size = Math.min(Number(query.get('per_page') ?? defaultSize), MOST_ON_PAGE);
    const page = Number(query.get('page') ?? 1);
    const all = this.comments.filter((one) => one.issue === issue);
    const link = `<https://host.invalid${path}?page=${page + 1}>; rel="next"`;
    const headers: Answer['headers'] = all.length > page * size ? { Link: link } : {};
    return { status: 200, body: all.slice((page - 1) * size, page * size).map(shown), headers };
  }
}

const shown = (comment: StoredComment | undefined) => ({
  id: comment?.id,
  body: comment?.body,
  user: { login: 'rundown-bot', type: 'Bot' },
});

export function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

/** Lets `act` respond to the next `times` requests. The fake API responds to later requests as usual. */
export function troubleFor(
  host: HostStandIn,
  times: number,
  act: (response: ServerResponse, received: Received) => void,
): void {
  let left = times;
  host.trouble = (response, received) => {
    if (left === 0) return false;
    left -= 1;
    act(response, received);
    return true;
  };
}

/** The parsed body of a request, or `undefined` if it does not match the schema. Throws if the body is not JSON. */
export const sentIn = <Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> | undefined =>
  schema.safeParse(JSON.parse(body)).data;
