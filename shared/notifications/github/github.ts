/** Requests to GitHub's REST API about one repository. */
import type { GithubNotification } from '#shared/model/events/notification.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import type { ReceiverAnswer } from '#shared/sending/answer.ts';
import { type Connected, request } from '#shared/sending/request.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import { problemOfAnswer } from './verdict.ts';

export interface GithubNetwork extends Connected {
  readonly now: () => number;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The path below the repository. */
  readonly path: string;
  readonly body?: object;
  /** The purpose of the request, as error messages name it. */
  readonly does: string;
  /**
   * Whether repeating the request would write twice. If so, it uses a new connection, because a request over a kept one
   * is repeated if that turns out to be closed.
   */
  readonly once?: boolean;
  /** A status that is returned and not treated as an error. */
  readonly except?: number;
}

interface Known {
  readonly statusCode: number;
  readonly json: unknown;
  /** Whether GitHub has another page. */
  readonly hasMore: boolean;
}

export class Github {
  readonly #notification: GithubNotification;
  readonly #token: string;
  readonly #network: GithubNetwork;
  readonly #startedAt: number;

  constructor(notification: GithubNotification, token: string, network: GithubNetwork) {
    this.#notification = notification;
    this.#token = token;
    this.#network = network;
    this.#startedAt = network.now();
  }

  /** Sends a request to GitHub. Throws `Ended` for every unsuccessful answer, unless its status is `except`. */
  async call(call: Call): Promise<Known> {
    const answer = await this.#ask(call);
    const problem = problemOfAnswer(answer, call.does, this.#network.now());
    if (problem && (answer.statusCode === null || answer.statusCode !== call.except)) throw problem;
    const hasMore = /rel="next"/.test(String(answer.headers?.link ?? ''));
    return { statusCode: answer.statusCode ?? 0, json: problem ? undefined : jsonOf(answer, call.does), hasMore };
  }

  async #ask({ method, path, body, once }: Call): Promise<ReceiverAnswer> {
    const { apiUrl, repository } = this.#notification;
    const address = `${apiUrl}/repos/${repository}${path}`;
    const refused = problemOfUrl(address, this.#network);
    if (refused !== undefined) throw new Ended({ kind: 'refused' }, refused);
    if (this.#network.now() - this.#startedAt > NOTIFICATION_LIMITS.lastRequestMilliseconds)
      throw new Ended({ kind: 'failed' }, 'GitHub responded too slowly to complete this notification');
    const text = body === undefined ? '' : JSON.stringify(body);
    const bytes = { read: NOTIFICATION_LIMITS.answerBytes, kept: NOTIFICATION_LIMITS.answerBytes };
    const sent = { method, url: new URL(address), headers: this.#headers(text !== ''), body: text, answerBytes: bytes };
    return request(sent, once ? { ...this.#network, kept: undefined } : this.#network);
  }

  #headers(hasBody: boolean): Record<string, string> {
    return {
      Accept: 'application/vnd.github+json',
      Authorization: `Bearer ${this.#token}`,
      'User-Agent': 'Rundown-Notifications/1',
      'X-GitHub-Api-Version': '2022-11-28',
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
    };
  }
}

function jsonOf({ text, statusCode }: ReceiverAnswer, does: string): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new Ended({ kind: 'failed' }, `GitHub's response is not JSON, or is too long (${does})`, statusCode);
  }
}
