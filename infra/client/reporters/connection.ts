/**
 * Sends the requests of a reporter. Every request may safely be sent again, so `post` and `put` repeat a request until
 * the service accepts or refuses it, or until the reporter gives up.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseJson } from '#shared/engine/json.ts';
import { CommandFailure, describeNetworkProblem, describeRedirect } from '../settings/failure.ts';
import { explainFirewall } from '../settings/firewall.ts';
import { type KeyPlace, sendWithKey } from '../settings/job-key.ts';
import { findText, isObject } from '../settings/json.ts';
import { formatVersionNotice } from '../settings/matching-version.ts';

const FIRST_PAUSE_MILLISECONDS = 300;
const LONGEST_PAUSE_MILLISECONDS = 20_000;
const REQUEST_MILLISECONDS = 30_000;
/** If the service asks to wait for longer, such as until the next month, the request counts as refused. */
const LONGEST_RETRY_AFTER_MILLISECONDS = 60_000;

interface SentRequest extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request needs the key. Links to files need none. */
  readonly isAuthorized?: boolean;
}

const UNAUTHORIZED = 401;

/** The service refused a request, or the response is not from Rundown. `post` and `put` do not repeat it. */
export class Refused extends Error {
  override name = 'Refused';
  readonly status: number;
  /** Whether the service would refuse the same results again, whatever key and project the settings name. */
  readonly isFinal: boolean;

  constructor(status: number, message: string, isFinal = false) {
    super(message);
    this.status = status;
    this.isFinal = isFinal;
  }
}

/** The reporter stopped waiting for the service. */
export class GaveUp extends Error {
  override name = 'GaveUp';
}

export class Connection {
  readonly #settings: KeyPlace;
  readonly #signal: AbortSignal;
  /** Why the latest failed attempt of any request failed, for messages. */
  problem = '';
  hasAnswered = false;
  /**
   * Whether the process waits for the next attempt, although nothing else keeps it running. Without test processes,
   * node:test ends its suite only once nothing does, so an attempt must not be the reason why a suite never ends.
   */
  keepsProcess = false;
  /** What people should know about the version of the service. */
  versionNotice: string | undefined;

  /** `signal` ends all waiting, because the test run must not wait forever for a service that is down. */
  constructor(settings: KeyPlace, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Sends JSON, compressed, and returns `data` of the response. */
  async post(path: string, json: string): Promise<Readonly<Record<string, unknown>>> {
    const body = new Uint8Array(await promisify(gzip)(json));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const address = `${this.#settings.url}/v1${path}`;
    return requireData(parseJson(await this.#send(address, { method: 'POST', body, headers, isAuthorized: true })));
  }

  async get(path: string, milliseconds: number): Promise<Readonly<Record<string, unknown>>> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(milliseconds)]);
    const address = `${this.#settings.url}/v1${path}`;
    const send = (key: string) => fetch(address, { headers: { authorization: `Bearer ${key}` }, signal });
    const answer = await sendWithKey(this.#settings, send, { signal });
    if (!answer.ok) throw new Refused(answer.status, `The service answered ${answer.status}`);
    return requireData(await answer.json());
  }

  /** Uploads a file to a presigned URL. */
  async put(url: string, body: Blob | Uint8Array<ArrayBuffer>, contentType: string): Promise<void> {
    try {
      await this.#send(url, { method: 'PUT', body, headers: { 'content-type': contentType } });
    } catch (error) {
      // The remedies of the API would mislead here: the signed URL may have expired, for example.
      throw error instanceof Refused ? new Refused(error.status, `The file storage answered ${error.status}`) : error;
    }
  }

  /** Repeats a request until it succeeds, and returns the body. Throws `Refused`, or `GaveUp` after an abort. */
  async #send(url: string, request: SentRequest): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#signal.aborted) throw new GaveUp(this.problem);
      const answer = await this.#ask(url, request);
      if ('text' in answer) {
        this.hasAnswered = true;
        return answer.text;
      }
      this.problem = answer.problem;
      await this.#wait(attempt, answer.retryAfter);
    }
  }

  /** Sends a request once. Also reads the body, because the connection may break in the middle of the response. */
  async #ask(
    url: string,
    { isAuthorized = false, headers, ...request }: SentRequest,
  ): Promise<{ text: string } | { problem: string; retryAfter?: number }> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(REQUEST_MILLISECONDS)]);
    try {
      const send = (more: Readonly<Record<string, string>>) =>
        fetch(url, { ...request, headers: { ...headers, ...more }, signal });
      const answer = isAuthorized
        ? await sendWithKey(this.#settings, (key) => send({ authorization: `Bearer ${key}` }), { signal })
        : await send({});
      this.versionNotice ??= formatVersionNotice(answer.headers, this.#settings.url);
      const text = await answer.text();
      if (answer.ok) return { text };
      if (answer.status !== 429 && answer.status < 500) throw toRefusal(answer, text);
      const retryAfter = Number(answer.headers.get('retry-after')) * 1000 || 0;
      if (retryAfter > LONGEST_RETRY_AFTER_MILLISECONDS) throw toRefusal(answer, text);
      return { problem: `HTTP status ${answer.status}`, retryAfter };
    } catch (error) {
      if (error instanceof Refused) throw error;
      if (error instanceof CommandFailure) throw new Refused(UNAUTHORIZED, `${error.message}. ${error.next}`);
      return { problem: describeNetworkProblem(error) };
    }
  }

  /** Waits longer after each attempt, with a random part, so that many machines do not come back at the same time. */
  async #wait(attempt: number, retryAfter = 0): Promise<void> {
    const backoff = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** (attempt - 1), LONGEST_PAUSE_MILLISECONDS);
    const milliseconds = Math.max(retryAfter, backoff * (0.5 + Math.random()));
    const options = { signal: this.#signal, ref: this.keepsProcess };
    await pause(milliseconds, undefined, options).catch(() => undefined);
  }
}

function requireData(body: unknown): Readonly<Record<string, unknown>> {
  const data = isObject(body) ? body['data'] : undefined;
  if (isObject(data)) return data;
  throw new Refused(200, 'The response is not from Rundown: check the address');
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'Check the API key',
  403: 'Use an API key with Read & Write',
  404: 'Check the address and the project',
};

/** Nobody can change these refusals of results by other settings, a new start, or the restoration of a project. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 413]);
const FINAL_CODES: ReadonlySet<string> = new Set(['RUN_EXPIRED', 'RUN_CANCELLED']);

function toRefusal(answer: Response, text: string): Refused {
  const { status, headers } = answer;
  const body = parseJson(text);
  const obstacle = describeRedirect(answer) ?? explainFirewall(answer, body);
  if (obstacle !== undefined) return new Refused(status, obstacle);
  const error = findText(body, 'error') ?? `The service answered ${status}`;
  const remedy = REMEDIES[status];
  // A proxy between may refuse a request that the service would accept.
  const isOfService = headers.has('rundown-version');
  const isFinal = isOfService && (FINAL_STATUSES.has(status) || FINAL_CODES.has(findText(body, 'code') ?? ''));
  return new Refused(status, remedy === undefined ? error : `${error}. ${remedy}`, isFinal);
}
