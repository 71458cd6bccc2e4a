/** Requests to GitHub's REST API about one repository. */

import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';
import type { GithubNotification } from '#shared/model/events/notification.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { isSuccess, type ReceiverAnswer } from '#shared/sending/answer.ts';
import { type Connected, request } from '#shared/sending/request.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import { GithubRefusal } from './github-wire.ts';

export interface GithubNetwork extends Connected {
  readonly now: () => number;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The path below the URL of the repository. */
  readonly path: string;
  readonly body?: object;
  /** The purpose of the request, for error messages. */
  readonly does: string;
  /**
   * Whether repeating the request would write something twice. Such a request uses a new connection, because a request
   * on a reused connection is sent again if the connection turns out to be closed.
   */
  readonly once?: boolean;
  /** The status code of a response that is returned to the caller and not treated as an error. */
  readonly except?: number;
}

interface Known {
  readonly statusCode: number;
  readonly json: unknown;
  /** Whether GitHub has another page of the list. */
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

  /**
   * Sends a request to GitHub. Throws `Ended` for every unsuccessful response, unless its status code equals `except`.
   */
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

// Translates a response of GitHub's REST API into the outcome of a delivery.

/** Returns `undefined` for a successful response. `does` is the purpose of the request. */
function problemOfAnswer(answer: ReceiverAnswer, does: string, now: number): Ended | undefined {
  const { statusCode, error } = answer;
  if (error === null) return undefined;
  if (statusCode === null || isSuccess(statusCode)) return new Ended({ kind: 'failed' }, error, statusCode);
  const said = saidBy(answer);
  const ended = (verdict: Ended['verdict'], problem: string) =>
    new Ended(verdict, `${problem} (${does}: ${statusCode}${said ? ` ${said}` : ''})`, statusCode);
  const retryAfter = pauseAfter(answer, said, now);
  if (retryAfter !== undefined)
    return ended({ kind: 'failed', retryAfter, pauses: true }, "GitHub's rate limit is reached");
  return ended({ kind: KINDS[statusCode] ?? kindOf(statusCode) }, TEXTS[statusCode] ?? 'GitHub refused the request');
}

type Kind = 'failed' | 'refused' | 'pointless';

const KINDS: Readonly<Record<number, Kind>> = {
  401: 'refused',
  403: 'refused',
  404: 'refused',
  408: 'failed',
  // 410 and 422 mean that the commit was not pushed, or that the pull request is locked. Other runs are not affected.
  410: 'pointless',
  422: 'pointless',
};

/**
 * Redirects also count as refusals, because they are not followed. GitHub redirects from the old name of a repository
 * to the new one.
 */
const kindOf = (statusCode: number): Kind => (statusCode >= 500 ? 'failed' : 'refused');

const TEXTS: Readonly<Record<number, string>> = {
  301: 'The repository was renamed. Save its new name',
  302: 'The API address redirects to another page, such as a sign-in page. Correct it',
  303: 'The API address redirects to another page, such as a sign-in page. Correct it',
  307: 'The repository was renamed. Save its new name',
  308: 'The repository was renamed. Save its new name',
  401: 'GitHub does not accept the token. Replace it',
  403: 'The token lacks a permission. It needs to write commit statuses and pull requests',
  404: 'The repository does not exist, or the token has no access to it. Correct one of them',
  410: 'GitHub accepts no more writes here',
  422: 'GitHub does not know the commit, or refuses the text',
};

/**
 * Returns the pause in seconds if the response reports a rate limit. GitHub reports a rate limit with status 429, or
 * with status 403 and a header or an error message about the limit.
 */
function pauseAfter(
  { statusCode, retryAfter, headers = {} }: ReceiverAnswer,
  said: string,
  now: number,
): string | undefined {
  if (statusCode !== 403 && statusCode !== 429) return undefined;
  if (retryAfter !== undefined) return retryAfter;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && reset > 0) return String(Math.max(1, Math.ceil(reset - now / 1000)));
  return statusCode === 429 || /rate limit|abuse/i.test(said)
    ? String(NOTIFICATION_LIMITS.secondaryLimitSeconds)
    : undefined;
}

/**
 * Returns GitHub's error message. It is untrusted text, so it is shortened and put on one line, and its invisible
 * characters are made visible.
 */
function saidBy({ text }: ReceiverAnswer): string {
  try {
    const { message } = GithubRefusal.parse(JSON.parse(text ?? ''));
    return visibleLine(beginningOf(message, NOTIFICATION_LIMITS.messageCharacters));
  } catch {
    return '';
  }
}
