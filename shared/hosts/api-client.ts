/** Requests to the APIs of code hosts and issue trackers. Subclasses decide what a failure means. */
import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { isSuccess, parseAnswerJson } from '#shared/sending/answer.ts';
import { type KeepAliveNetwork, type OutgoingRequest, sendRequest } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';

/** The pause after a rate limit is reached, if the response does not say how long to wait. */
export const USUAL_PAUSE_SECONDS = 60;

export interface ApiNetwork extends KeepAliveNetwork {
  readonly now: () => number;
}

export interface ApiAnswer {
  readonly statusCode: number;
  /** `undefined` if the body is not JSON. */
  readonly json: unknown;
  readonly headers: IncomingHttpHeaders;
}

/** What differs between APIs. */
export interface ApiDialect {
  /** Headers of each request, with the credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that no error message may contain. */
  readonly secrets: readonly string[];
  /** Whether status 204, which has no body, is a success. */
  readonly acceptsEmpty?: true;
  /** The service's own error message, in the JSON of a response. */
  readonly extractMessage: (json: unknown) => string;
  /** Whether a response reports a rate limit in a way other than status 429. */
  readonly isLimit?: (answer: ApiAnswer) => boolean;
  /** When the rate limit ends according to the service's own headers, in epoch milliseconds. */
  readonly parseLimitEnd: (headers: IncomingHttpHeaders) => number | undefined;
}

export interface ApiCall extends Partial<Pick<OutgoingRequest, 'method'>> {
  /** The path below the address of the API, with its query. */
  readonly path: string;
  readonly body?: object;
  /** What the request reads or writes, such as `commit status`, for error messages. */
  readonly subject: string;
  /** Whether a repetition writes twice. Uses a new connection, because a reused one may send a request again. */
  readonly once?: boolean;
  /** The status codes of responses that are returned to the caller and not treated as failures. */
  readonly except?: readonly number[];
}

export type ApiFailure =
  /** Nothing was sent, because the address is invalid or forbidden. */
  | { readonly kind: 'address'; readonly problem: string }
  /** Nothing was sent, because the client was opened too long ago. */
  | { readonly kind: 'late' }
  | { readonly kind: 'unanswered'; readonly error: string }
  /** A success that was cut, or is not JSON (`error: null`). A proxy may have answered in place of the service. */
  | { readonly kind: 'incomplete'; readonly answer: ApiAnswer; readonly error: string | null }
  | { readonly kind: 'limit'; readonly answer: ApiAnswer; readonly pauseSeconds: number }
  /** Any other status, also a redirect, because redirects are not followed. */
  | { readonly kind: 'refusal'; readonly answer: ApiAnswer };

interface ApiSettings {
  readonly apiUrl: string;
  readonly agent: string;
  /** How much of the service's own error message is shown. */
  readonly messageCharacters: number;
  /** No new request is sent after this much time has passed since the client was opened. */
  readonly lastRequestMilliseconds: number;
}

export abstract class ApiClient<Call extends ApiCall> {
  readonly #dialect: ApiDialect;
  readonly #settings: ApiSettings;
  readonly #network: ApiNetwork;
  readonly #startedAt: number;

  constructor(dialect: ApiDialect, settings: ApiSettings, network: ApiNetwork) {
    this.#dialect = dialect;
    this.#settings = settings;
    this.#network = network;
    this.#startedAt = network.now();
  }

  /** The error that says what the failure means and what to do. */
  protected abstract explain(failure: ApiFailure, call: Call): Error;

  protected abstract explainFormat(answer: ApiAnswer, subject: string): Error;

  /** The maximum size of the response in bytes. */
  protected abstract limitBytes(call: Call): number;

  /** Throws for every failure but a response whose status code is in `except`. */
  async ask(call: Call): Promise<ApiAnswer> {
    const { method = 'GET', path, body, once, except } = call;
    const network = this.#network;
    const { apiUrl, agent, lastRequestMilliseconds } = this.#settings;
    const address = `${apiUrl}${path}`;
    const problem = findUrlProblem(address, network);
    if (problem !== undefined) throw this.explain({ kind: 'address', problem }, call);
    if (network.now() - this.#startedAt > lastRequestMilliseconds) throw this.explain({ kind: 'late' }, call);
    const headers = {
      Accept: 'application/json',
      'User-Agent': agent,
      ...this.#dialect.headers,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const bytes = this.limitBytes(call);
    const outgoing = {
      method,
      url: new URL(address),
      headers,
      body: body ? JSON.stringify(body) : '',
      answerBytes: { read: bytes, kept: bytes },
    };
    const response = await sendRequest(outgoing, once ? { ...network, kept: undefined } : network);
    const { statusCode, error } = response;
    if (statusCode === null) throw this.explain({ kind: 'unanswered', error: error ?? '' }, call);
    const answer = { statusCode, json: parseAnswerJson(response), headers: response.headers ?? {} };
    const isEmpty = this.#dialect.acceptsEmpty && statusCode === NO_CONTENT;
    if (isSuccess(statusCode) && (error !== null || (answer.json === undefined && !isEmpty)))
      throw this.explain({ kind: 'incomplete', answer, error }, call);
    if (statusCode === TOO_MANY || this.#dialect.isLimit?.(answer))
      throw this.explain({ kind: 'limit', answer, pauseSeconds: this.#computePause(answer) }, call);
    if (isSuccess(statusCode) || except?.includes(statusCode)) return answer;
    throw this.explain({ kind: 'refusal', answer }, call);
  }

  /** Sends a request and reads its JSON. */
  async read<Schema extends z.ZodType>(schema: Schema, call: Call): Promise<z.output<Schema>> {
    return this.parse(schema, await this.ask(call), call.subject);
  }

  parse<Schema extends z.ZodType>(schema: Schema, answer: ApiAnswer, subject: string): z.output<Schema> {
    const { data } = schema.safeParse(answer.json);
    if (data === undefined) throw this.explainFormat(answer, subject);
    return data;
  }

  /** A text of the service that is safe to show: one line, short, and without the credential. */
  quote(text: string): string {
    if (this.#dialect.secrets.some((secret) => text.includes(secret))) return '';
    return makeVisibleLine(takeFirstCharacters(text, this.#settings.messageCharacters));
  }

  /** The service's own error message. */
  quoteMessage({ json }: ApiAnswer): string {
    return this.quote(this.#dialect.extractMessage(json));
  }

  protected addDetails(problem: string, answer: ApiAnswer, subject: string): string {
    const message = this.quoteMessage(answer);
    return `${problem} (${subject}: ${answer.statusCode}${message === '' ? '' : ` ${message}`})`;
  }

  #computePause({ headers }: ApiAnswer): number {
    const now = this.#network.now();
    const end = this.#dialect.parseLimitEnd(headers);
    const seconds = parseRetrySeconds(headers['retry-after'], now) ?? (end === undefined ? 0 : (end - now) / 1000);
    return seconds > 0 ? Math.ceil(seconds) : USUAL_PAUSE_SECONDS;
  }
}

const NO_CONTENT = 204;
export const BAD_REQUEST = 400;
export const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;
export const NOT_FOUND = 404;
const TOO_MANY = 429;

/** Reads `Retry-After`, which is a number of seconds or a date. */
function parseRetrySeconds(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,15}$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : (at - now) / 1000;
}

/** Reads a header with a time in epoch seconds or milliseconds. Returns epoch milliseconds. */
export function parseEpoch(
  header: string | readonly string[] | undefined,
  unit: 'seconds' | 'milliseconds',
): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) return undefined;
  return Number(header) * (unit === 'seconds' ? 1000 : 1);
}

/** Whether the `Link` header names another page of a list. */
export const hasNextPage = ({ link }: IncomingHttpHeaders): boolean => /rel="next"/.test(String(link ?? ''));
