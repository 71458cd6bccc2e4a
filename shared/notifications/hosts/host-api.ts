/** Requests to the REST API of a code host about one repository, and what a code host has to define for them. */
import type * as z from 'zod';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import { CODE_HOSTS, type HostTexts } from '#shared/notifications/code-hosts.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { isSuccess, jsonOf, type ReceiverAnswer } from '#shared/sending/answer.ts';
import { type Connected, type Outgoing, request } from '#shared/sending/exchange.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';

export interface HostNetwork extends Connected {
  readonly now: () => number;
}

/** The status of a commit: the state of the newest run of the project that tested it. */
export interface CommitStatus {
  readonly state: 'running' | 'success' | 'failure' | 'canceled';
  readonly description: string;
  readonly url: string;
  readonly name: string;
}

type Settings = Pick<HostNotification, 'apiUrl' | 'repository'>;

/** What differs between code hosts. All paths are below the URL of the repository. */
export interface CodeHost {
  readonly urlOf: (settings: Settings) => string;
  /** Headers of every request, besides those that all code hosts get. */
  readonly headers: Readonly<Record<string, string>>;
  /** The error message for a response with this status code. */
  readonly problems: Readonly<Record<number, string>>;
  /** The schema of the body of an error response. Its output is the error message. */
  readonly refusal: z.ZodType<string>;
  /**
   * The pause, in the format of the `Retry-After` header, if the response reports a rate limit. `said` is the error
   * message of the response.
   */
  readonly pauseAfter: (answer: ReceiverAnswer, said: string, now: number) => string | undefined;
  /** The number of the pull request to which the URL leads, if it is one of this repository. */
  readonly numberIn: (url: string, settings: Settings) => string | undefined;
  readonly pullPath: (pull: string) => string;
  /** The schema of a pull request. Its output is the list of commits that a run of the pull request may have tested. */
  readonly pullCommits: z.ZodType<readonly string[]>;
  readonly commentsPath: (pull: string) => string;
  readonly commentPath: (pull: string, id: number) => string;
  readonly editMethod: 'PATCH' | 'PUT';
  readonly writeStatus: (api: HostApi, sha: string, status: CommitStatus) => Promise<void>;
}

interface Call {
  readonly method: Outgoing['method'];
  /** The path below the URL of the repository. */
  readonly path: string;
  readonly body?: object;
  /** What the request reads or writes, such as `commit status`, for error messages. */
  readonly does: string;
  /**
   * Whether repeating the request would write something twice. Such a request uses a new connection, because a request
   * on a reused connection is sent again if the connection turns out to be closed.
   */
  readonly once?: boolean;
  /** The status codes of responses that are returned to the caller and not treated as errors. */
  readonly except?: readonly number[];
}

interface Known {
  readonly statusCode: number;
  readonly json: unknown;
  /** The error message of the host. */
  readonly said: string;
  /** The error of a response whose status code is one of `except`. */
  readonly problem: Ended | undefined;
  /** Whether the list has another page. */
  readonly hasMore: boolean;
}

export const MISSING = 404;

export class HostApi {
  readonly host: CodeHost;
  readonly texts: HostTexts;
  readonly #notification: HostNotification;
  readonly #token: string;
  readonly #network: HostNetwork;
  readonly #startedAt: number;

  constructor(
    host: CodeHost,
    { notification, token }: { readonly notification: HostNotification; readonly token: string },
    network: HostNetwork,
  ) {
    this.host = host;
    this.texts = CODE_HOSTS[notification.kind];
    this.#notification = notification;
    this.#token = token;
    this.#network = network;
    this.#startedAt = network.now();
  }

  /**
   * Throws `Ended` if there is no response, for a successful response that is not JSON, and for every unsuccessful
   * response whose status code is not in `except`.
   */
  async call(call: Call): Promise<Known> {
    const answer = await this.#ask(call);
    const said = saidBy(this.host, answer);
    const problem = this.#problemOf(answer, call.does, said);
    if (problem && (answer.statusCode === null || !call.except?.includes(answer.statusCode))) throw problem;
    const hasMore = /rel="next"/.test(String(answer.headers?.link ?? ''));
    const json = problem ? undefined : jsonOf(answer);
    if (!problem && json === undefined)
      throw this.#failed(
        `response is not JSON, or is too long (${call.does}). Check the API address`,
        answer.statusCode,
      );
    return { statusCode: answer.statusCode ?? 0, json, said, problem, hasMore };
  }

  /**
   * Parses a response. Throws if the response has an unexpected format, because a proxy may have answered in place of
   * the host.
   */
  formed<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
    const { data } = schema.safeParse(json);
    if (data === undefined) throw this.#failed('response has an unexpected format. Check the API address');
    return data;
  }

  /** Reads the repository. If the repository is missing, throws the error that disables the notification. */
  async readRepository(): Promise<void> {
    await this.call({ method: 'GET', path: '', does: this.texts.place });
  }

  async #ask({ method, path, body, once }: Call): Promise<ReceiverAnswer> {
    const address = `${this.host.urlOf(this.#notification)}${path}`;
    const refused = problemOfUrl(address, this.#network);
    if (refused !== undefined) throw new Ended({ kind: 'refused' }, refused);
    if (this.#network.now() - this.#startedAt > NOTIFICATION_LIMITS.lastRequestMilliseconds)
      throw new Ended({ kind: 'failed' }, `${this.texts.name} responded too slowly to complete this notification`);
    const text = body === undefined ? '' : JSON.stringify(body);
    const bytes = { read: NOTIFICATION_LIMITS.answerBytes, kept: NOTIFICATION_LIMITS.answerBytes };
    const headers = {
      Accept: 'application/json',
      Authorization: `Bearer ${this.#token}`,
      'User-Agent': 'Rundown-Notifications/1',
      ...this.host.headers,
      ...(text === '' ? {} : { 'Content-Type': 'application/json' }),
    };
    const sent = { method, url: new URL(address), headers, body: text, answerBytes: bytes };
    return request(sent, once ? { ...this.#network, kept: undefined } : this.#network);
  }

  #failed(problem: string, statusCode: number | null = null): Ended {
    return new Ended({ kind: 'failed' }, `${this.texts.name}'s ${problem}`, statusCode);
  }

  /** Translates a response into the outcome of a delivery. Returns `undefined` for a successful response. */
  #problemOf(answer: ReceiverAnswer, does: string, said: string): Ended | undefined {
    const { statusCode, error } = answer;
    if (error === null) return undefined;
    if (statusCode === null || isSuccess(statusCode)) return new Ended({ kind: 'failed' }, error, statusCode);
    const { name } = this.texts;
    const ended = (verdict: Ended['verdict'], problem: string) =>
      new Ended(verdict, `${problem} (${does}: ${statusCode}${said ? ` ${said}` : ''})`, statusCode);
    const retryAfter = this.host.pauseAfter(answer, said, this.#network.now());
    if (retryAfter !== undefined)
      return ended({ kind: 'failed', retryAfter, pauses: true }, `${name}'s rate limit is reached`);
    const problem = this.host.problems[statusCode] ?? PROBLEMS[statusCode]?.(this.texts);
    return ended(
      // Redirects also count as refusals, because they are not followed.
      { kind: KINDS[statusCode] ?? (statusCode >= 500 ? 'failed' : 'refused') },
      problem ?? `${name} did not accept the request`,
    );
  }
}

const KINDS: Readonly<Record<number, 'failed' | 'pointless'>> = {
  408: 'failed',
  // GitLab is writing another status of the commit.
  409: 'failed',
  // The following codes affect only one run: for example, its commit was not pushed, or its pull request is locked.
  400: 'pointless',
  410: 'pointless',
  422: 'pointless',
};

const PROBLEMS: Readonly<Record<number, (texts: HostTexts) => string>> = {
  401: ({ name }) => `${name} does not accept the token. Replace it`,
  404: ({ place }) => `The ${place} does not exist, or the token has no access to it. Correct one of them`,
};

/**
 * Returns the error message of a response. It is untrusted text, so it is shortened and put on one line, and its
 * invisible characters are made visible.
 */
function saidBy({ refusal }: CodeHost, answer: ReceiverAnswer): string {
  const said = answer.error === null ? undefined : refusal.safeParse(jsonOf(answer)).data;
  return makeVisibleLine(takeFirstCharacters(said ?? '', NOTIFICATION_LIMITS.messageCharacters));
}
