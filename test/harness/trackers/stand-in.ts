/** What the fake issue trackers have in common: stored issues, credentials, and ways to fail. */
import type { ServerResponse } from 'node:http';
import type { TrackerKind } from '#shared/model/issues/tracker-kind.ts';
import { type Received, receiver } from '#test/harness/receiver.ts';

/** `text` and `comments` are stored as they were sent: as Markdown, as wiki markup, or as a document in JSON. */
export interface StoredIssue {
  readonly key: string;
  readonly project: string;
  readonly type: string;
  readonly title: string;
  readonly text: string;
  readonly labels: readonly string[];
  /** The values of all other fields of the request, by field id. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly comments: string[];
  readonly createdAt: number;
  state: 'open' | 'inProgress' | 'done';
  isDeleted?: boolean;
}

export interface Answer {
  readonly status: number;
  /** Absent for a response without a body. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Failures that the tracker reports with an error response in its own format. */
const REFUSALS = ['unauthorized', 'forbidden', 'missing', 'limited', 'broken'] as const;
type Refusal = (typeof REFUSALS)[number];
export type Refusals = Readonly<Record<Refusal, Answer>>;

export type Failure =
  | Refusal
  /** Never answers. */
  | 'silent'
  /** A page of HTML from a proxy, with status 200. */
  | 'page'
  /** A redirect to a sign-in page. */
  | 'redirect'
  /** An error message that repeats the credential of the request. */
  | 'echo'
  /** Does what was asked, and breaks the connection before the answer. */
  | 'lost'
  /** Does what was asked, and breaks the connection in the middle of the answer. */
  | 'cut';

export const FIRST_PROJECT_NAME = 'Shop';

interface Hold {
  readonly arrive: () => void;
  readonly end: Promise<void>;
}

export abstract class TrackerStandIn {
  abstract readonly kind: TrackerKind;
  /** The name of the tracker in messages. */
  abstract readonly name: string;
  abstract readonly token: string;
  readonly account: string | undefined = undefined;
  /** The id of a project in which issues can be created. `typeId` is the id of one of its issue types. */
  abstract readonly project: string;
  abstract readonly typeId: string;
  /** The address of the API, as people enter it in the connection. */
  abstract readonly url: string;
  /** Addresses of an issue's page that people may paste. */
  abstract readonly pagesOf: (key: string) => readonly string[];

  /** The tracker's current time in epoch milliseconds. Tests may replace this function. */
  now: () => number = Date.now;
  readonly received: Received[] = [];
  readonly stored: StoredIssue[] = [];
  areIssuesDisabled = false;
  #failures: Failure[] = [];
  #hold: Hold | undefined;
  #origin = '';

  get origin(): string {
    return this.#origin;
  }

  /** Starts the tracker, which runs until the test ends, or serves all tests of a file if `stays` is true. */
  async start(options: { readonly stays?: boolean } = {}): Promise<this> {
    const { url } = await receiver((response, received) => this.#receive(response, received), options);
    this.#origin = new URL(url).origin;
    return this;
  }

  issues(): readonly StoredIssue[] {
    return this.stored.filter(({ isDeleted }) => !isDeleted);
  }

  issue(key: string): StoredIssue | undefined {
    return this.issues().find((one) => one.key === key);
  }

  /** Sets the state as a person does in the tracker. */
  setState(key: string, state: StoredIssue['state']): void {
    const issue = this.issue(key);
    if (!issue) throw new Error(`There is no issue ${key}`);
    issue.state = state;
  }

  /** Makes the next requests fail, each in one of these ways, in this order. */
  fail(...failures: readonly Failure[]): void {
    this.#failures = [...failures];
  }

  /** Answers no request until `release` is called. `arrived` resolves when the first request has arrived. */
  hold(): { readonly arrived: Promise<void>; readonly release: () => void } {
    const arrival = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    this.#hold = { arrive: arrival.resolve, end: end.promise };
    const release = () => {
      this.#hold = undefined;
      end.resolve();
    };
    return { arrived: arrival.promise, release };
  }

  protected abstract answerTo(received: Received): Answer;
  protected abstract readonly refusals: Refusals;

  async #receive(response: ServerResponse, received: Received): Promise<void> {
    this.received.push(received);
    this.#hold?.arrive();
    await this.#hold?.end;
    const failure = this.#failures.shift();
    switch (failure) {
      case undefined:
        this.#send(response, this.answerTo(received));
        return;
      case 'silent':
        return;
      case 'page':
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
        return;
      case 'redirect':
        response.writeHead(302, { Location: 'https://sign-in.example/' }).end();
        return;
      case 'echo': {
        const message = `Invalid request: ${JSON.stringify(received.headers)}`;
        const body = this.kind === 'linear' ? { errors: [{ message }] } : { message, errorMessages: [message] };
        this.#send(response, { status: 422, body });
        return;
      }
      case 'lost':
        this.answerTo(received);
        response.socket?.resetAndDestroy();
        return;
      case 'cut': {
        const whole = Buffer.from(JSON.stringify(this.answerTo(received).body ?? {}));
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(whole.length) });
        response.write(whole.subarray(0, whole.length / 2), () => response.socket?.destroy());
        return;
      }
      default:
        this.#send(response, this.refusals[failure]);
    }
  }

  #send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' };
    response.writeHead(status, { ...type, ...headers }).end(body === undefined ? '' : JSON.stringify(body));
  }
}

/** Splits the URL of a request into the path after `prefix` and the query parameters. */
export function targetOf({ path }: Received, prefix: string) {
  const { pathname, searchParams } = new URL(path, 'http://tracker.invalid');
  return { path: pathname.startsWith(prefix) ? pathname.slice(prefix.length) : '', parameters: searchParams };
}
