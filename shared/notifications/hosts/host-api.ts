/** Requests to the REST API of a code host about one repository, and what a code host has to define for them. */
import type * as z from 'zod';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import { CODE_HOSTS, type HostTexts } from '#shared/notifications/code-hosts.ts';
import { DeliveryProblem } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { isSuccess, parseAnswerJson, type ReceiverAnswer } from '#shared/sending/answer.ts';
import { type KeepAliveNetwork, type OutgoingRequest, sendRequest } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';

export interface HostNetwork extends KeepAliveNetwork {
  readonly now: () => number;
}

/** The status of a commit: the state of the newest run of the project that tested it. */
export interface CommitStatus {
  readonly state: 'running' | 'success' | 'failure' | 'canceled';
  readonly description: string;
  readonly url: string;
  readonly name: string;
}

type RepositorySettings = Pick<HostNotification, 'apiUrl' | 'repository'>;

/** What differs between code hosts. All paths are below the URL of the repository. */
export interface CodeHost {
  readonly urlOf: (settings: RepositorySettings) => string;
  /** Headers of every request, besides those that all code hosts get. */
  readonly headers: Readonly<Record<string, string>>;
  /** The error message for a response with this status code. */
  readonly problems: Readonly<Record<number, string>>;
  /** The schema of the body of an error response. Its output is the error message. */
  readonly refusal: z.ZodType<string>;
  /** The pause after a rate limit, in the format of `Retry-After`. `said`: the error message of the response. */
  readonly pauseAfter: (answer: ReceiverAnswer, said: string, now: number) => string | undefined;
  /** The number of the pull request to which the URL leads, if it is one of this repository. */
  readonly numberIn: (url: string, settings: RepositorySettings) => string | undefined;
  readonly pullPath: (pull: string) => string;
  /** The schema of a pull request. Its output is the list of commits that a run of the pull request may have tested. */
  readonly pullCommits: z.ZodType<readonly string[]>;
  readonly commentsPath: (pull: string) => string;
  readonly commentPath: (pull: string, id: number) => string;
  readonly editMethod: 'PATCH' | 'PUT';
  readonly writeStatus: (api: HostApi, sha: string, status: CommitStatus) => Promise<void>;
}

interface HostCall {
  readonly method: OutgoingRequest['method'];
  /** The path below the URL of the repository. */
  readonly path: string;
  readonly body?: object;
  /** What the request reads or writes, such as `commit status`, for error messages. */
  readonly does: string;
  /** Whether a repetition writes twice. Uses a new connection, because a reused one may send a request again. */
  readonly once?: boolean;
  /** The status codes of responses that are returned to the caller and not treated as errors. */
  readonly except?: readonly number[];
}

interface HostAnswer {
  readonly statusCode: number;
  readonly json: unknown;
  /** The error message of the host. */
  readonly said: string;
  /** The error of a response whose status code is one of `except`. */
  readonly problem: DeliveryProblem | undefined;
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

  /** Throws `DeliveryProblem` without a response, for a success that is not JSON, and for failures not in `except`. */
  async call(call: HostCall): Promise<HostAnswer> {
    const answer = await this.#ask(call);
    const message = extractMessage(this.host, answer);
    const problem = this.#problemOf(answer, call.does, message);
    if (problem && (answer.statusCode === null || !call.except?.includes(answer.statusCode))) throw problem;
    const hasMore = /rel="next"/.test(String(answer.headers?.link ?? ''));
    const json = problem ? undefined : parseAnswerJson(answer);
    if (!problem && json === undefined)
      throw this.#failed(
        `response is not JSON, or is too long (${call.does}). Check the API address`,
        answer.statusCode,
      );
    return { statusCode: answer.statusCode ?? 0, json, said: message, problem, hasMore };
  }

  /** Throws if the format is unexpected, because a proxy may have answered in place of the host. */
  formed<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
    const { data } = schema.safeParse(json);
    if (data === undefined) throw this.#failed('response has an unexpected format. Check the API address');
    return data;
  }

  /** Reads the repository. If the repository is missing, throws the error that disables the notification. */
  async readRepository(): Promise<void> {
    await this.call({ method: 'GET', path: '', does: this.texts.place });
  }

  async #ask({ method, path, body, once }: HostCall): Promise<ReceiverAnswer> {
    const address = `${this.host.urlOf(this.#notification)}${path}`;
    const problem = findUrlProblem(address, this.#network);
    if (problem !== undefined) throw new DeliveryProblem({ kind: 'refused' }, problem);
    if (this.#network.now() - this.#startedAt > NOTIFICATION_LIMITS.lastRequestMilliseconds)
      throw new DeliveryProblem(
        { kind: 'failed' },
        `${this.texts.name} responded too slowly to complete this notification`,
      );
    const text = body === undefined ? '' : JSON.stringify(body);
    const bytes = { read: NOTIFICATION_LIMITS.answerBytes, kept: NOTIFICATION_LIMITS.answerBytes };
    const headers = {
      Accept: 'application/json',
      Authorization: `Bearer ${this.#token}`,
      'User-Agent': 'Rundown-Notifications/1',
      ...this.host.headers,
      ...(text === '' ? {} : { 'Content-Type': 'application/json' }),
    };
    const outgoing = { method, url: new URL(address), headers, body: text, answerBytes: bytes };
    return sendRequest(outgoing, once ? { ...this.#network, kept: undefined } : this.#network);
  }

  #failed(problem: string, statusCode: number | null = null): DeliveryProblem {
    return new DeliveryProblem({ kind: 'failed' }, `${this.texts.name}'s ${problem}`, statusCode);
  }

  #problemOf(answer: ReceiverAnswer, does: string, message: string): DeliveryProblem | undefined {
    const { statusCode, error } = answer;
    if (error === null) return undefined;
    if (statusCode === null || isSuccess(statusCode)) return new DeliveryProblem({ kind: 'failed' }, error, statusCode);
    const { name } = this.texts;
    const makeProblem = (verdict: DeliveryProblem['verdict'], problem: string) =>
      new DeliveryProblem(verdict, `${problem} (${does}: ${statusCode}${message ? ` ${message}` : ''})`, statusCode);
    const retryAfter = this.host.pauseAfter(answer, message, this.#network.now());
    if (retryAfter !== undefined)
      return makeProblem({ kind: 'failed', retryAfter, pauses: true }, `${name}'s rate limit is reached`);
    const problem = this.host.problems[statusCode] ?? PROBLEMS[statusCode]?.(this.texts);
    return makeProblem(
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

/** The message is untrusted: it is shortened, put on one line, and its invisible characters become visible. */
function extractMessage({ refusal }: CodeHost, answer: ReceiverAnswer): string {
  const message = answer.error === null ? undefined : refusal.safeParse(parseAnswerJson(answer)).data;
  return makeVisibleLine(takeFirstCharacters(message ?? '', NOTIFICATION_LIMITS.messageCharacters));
}
