/** Requests to the API of an issue tracker. */
import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { isSuccess, parseAnswerJson, type ReceiverAnswer } from '#shared/sending/answer.ts';
import { sendRequest } from '#shared/sending/exchange.ts';
import { RefusedAddress } from '#shared/sending/guarded-lookup.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import { type TrackerNetwork, TrackerProblem } from './tracker.ts';

export const TRACKER_LIMITS = {
  /**
   * No new request is sent to a tracker after this much time has passed since the connection was opened. A request
   * takes at most ten seconds, and API Gateway ends the request of our client after 29 seconds.
   */
  lastRequestMilliseconds: 15_000,
  /** The largest responses: one issue of GitLab may have a megabyte, a list of GitHub has the texts of 100 issues. */
  answerBytes: { issue: 2_000_000, list: 8_000_000 },
  /** How much of a title and of the name of a state is stored, and how long the address of an issue may be. */
  storedCharacters: 1000,
  addressCharacters: 2048,
  titleCharacters: 255,
  /** How much of a tracker's own error message is shown. */
  saidCharacters: 300,
  /** The pause after a rate limit is reached, if the tracker does not say how long to wait. */
  pauseSeconds: 60,
  /** The maximum pause, whatever the tracker says. */
  longestPauseSeconds: 3600,
  /** How far the clock of a tracker may differ from ours when issues are filtered by their creation time. */
  clockMilliseconds: 10 * 60_000,
} as const;

/** The purpose of a request, for error messages. */
export interface Purpose {
  readonly does: string;
  /** What is missing if the tracker answers 404. */
  readonly about: 'connection' | 'project' | 'issue';
}

export interface TrackerCall extends Purpose {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** The path below the address of the API, with its query. */
  readonly path: string;
  readonly body?: object;
  /** Status codes of responses that are returned and not treated as errors. */
  readonly except?: readonly number[];
}

export interface TrackerAnswer {
  readonly statusCode: number;
  /** `undefined` if the body is not JSON. */
  readonly json: unknown;
  readonly headers: IncomingHttpHeaders;
}

/** What differs between the APIs of trackers. */
export interface TrackerDialect {
  readonly name: string;
  /** What the tracker calls its credential, and which permission it needs. */
  readonly credential: string;
  readonly permission: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that no error message may contain. */
  readonly secrets: readonly string[];
  /** The tracker's own error message, in the JSON of a response. */
  readonly said: (json: unknown) => string;
  /** Whether a response reports a rate limit in a way other than status 429. */
  readonly isLimit?: (answer: TrackerAnswer) => boolean;
  /** When the rate limit ends according to the tracker's own headers, in epoch milliseconds. */
  readonly limitEnds: (headers: IncomingHttpHeaders) => number | undefined;
}

export class TrackerHttp {
  readonly dialect: TrackerDialect;
  readonly #apiUrl: string;
  readonly #network: TrackerNetwork;
  readonly #startedAt: number;

  constructor(dialect: TrackerDialect, apiUrl: string, network: TrackerNetwork) {
    this.dialect = dialect;
    this.#apiUrl = apiUrl;
    this.#network = network;
    this.#startedAt = network.now();
  }

  /** Sends a request and reads its JSON. Throws `TrackerProblem` for a response in another format. */
  async read<Schema extends z.ZodType>(schema: Schema, call: TrackerCall): Promise<z.output<Schema>> {
    return this.formed(schema, await this.ask(call), call.does);
  }

  /** An unexpected format gives the verdict `failed`, because the tracker may still have done what was asked. */
  formed<Schema extends z.ZodType>(
    schema: Schema,
    { json, statusCode }: TrackerAnswer,
    does: string,
  ): z.output<Schema> {
    const { data } = schema.safeParse(json);
    if (data !== undefined) return data;
    const problem = `The response of ${this.dialect.name} has an unexpected format (${does}). Check that the address of the connection is that of its API`;
    throw new TrackerProblem({ kind: 'failed' }, problem, statusCode);
  }

  /**
   * Throws `TrackerProblem` without a response, for a success that is incomplete or not JSON (except status 204), for a
   * rate limit, and for all other unsuccessful responses whose status code is not in `except`.
   */
  async ask(call: TrackerCall): Promise<TrackerAnswer> {
    const response = await this.#send(call);
    const { statusCode, error, headers = {} } = response;
    if (statusCode === null) throw this.#unanswered(error ?? '', call.does);
    const answer = { statusCode, json: parseAnswerJson(response), headers };
    // A proxy may answer in place of the tracker, with status 200.
    if (isSuccess(statusCode) && (error !== null || (answer.json === undefined && statusCode !== NO_CONTENT))) {
      const problem = `The response of ${this.dialect.name} is incomplete, or is not JSON (${call.does}). Try again later, and check that the address of the connection is that of its API`;
      throw new TrackerProblem({ kind: 'failed' }, problem, statusCode);
    }
    if (statusCode === TOO_MANY || this.dialect.isLimit?.(answer)) throw this.#limit(answer, call.does);
    if (isSuccess(statusCode) || call.except?.includes(statusCode)) return answer;
    throw this.problemOf(answer, call);
  }

  #send({ method = 'GET', path, body, about }: TrackerCall): Promise<ReceiverAnswer> {
    const { name, headers } = this.dialect;
    const address = `${this.#apiUrl}${path}`;
    const problem = findUrlProblem(address, this.#network);
    if (problem !== undefined)
      throw new TrackerProblem({ kind: 'refused' }, `The address of ${name} cannot be used. ${problem}`);
    if (this.#network.now() - this.#startedAt > TRACKER_LIMITS.lastRequestMilliseconds)
      throw new TrackerProblem({ kind: 'failed' }, `${name} responds too slowly. Try again later`);
    const { issue, list } = TRACKER_LIMITS.answerBytes;
    const bytes = about === 'issue' ? issue : list;
    const outgoing = {
      method,
      url: new URL(address),
      headers: {
        Accept: 'application/json',
        'User-Agent': 'Rundown-Issues/1',
        ...headers,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : '',
      answerBytes: { read: bytes, kept: bytes },
    };
    // Uses a new connection. A request on a reused connection is sent again if the connection turns out to be closed,
    // and could create a second issue.
    return sendRequest(outgoing, this.#network);
  }

  #unanswered(error: string, does: string): TrackerProblem {
    const { name } = this.dialect;
    if (error === new RefusedAddress().message) {
      const problem = `The address of ${name} leads into a network that Rundown may not reach. Save a public address, or ask the operator to allow it`;
      return new TrackerProblem({ kind: 'refused' }, problem);
    }
    const problem = `${name} could not be reached (${does}: ${error}). Try again later, and check the address of the connection`;
    return new TrackerProblem({ kind: 'failed' }, problem);
  }

  #limit({ headers, statusCode }: TrackerAnswer, does: string): TrackerProblem {
    const now = this.#network.now();
    const ends = this.dialect.limitEnds(headers);
    const requestedSeconds =
      parseRetrySeconds(headers['retry-after'], now) ?? (ends === undefined ? undefined : (ends - now) / 1000);
    const pauseSeconds =
      requestedSeconds !== undefined && requestedSeconds > 0
        ? Math.ceil(requestedSeconds)
        : TRACKER_LIMITS.pauseSeconds;
    const retryAfterSeconds = Math.min(TRACKER_LIMITS.longestPauseSeconds, pauseSeconds);
    const problem = `The rate limit of ${this.dialect.name} is reached (${does}). Try again in ${retryAfterSeconds} seconds`;
    return new TrackerProblem({ kind: 'limited', retryAfterSeconds }, problem, statusCode);
  }

  problemOf(
    { statusCode, json }: Pick<TrackerAnswer, 'statusCode' | 'json'>,
    { does, about }: Purpose,
  ): TrackerProblem {
    const { name, credential, permission } = this.dialect;
    // The tracker's own error message is untrusted text, and might repeat what was sent.
    const message = this.plain(this.dialect.said(json));
    const problem = (kind: Exclude<TrackerProblem['verdict']['kind'], 'limited'>, text: string) =>
      new TrackerProblem(
        { kind },
        `${text} (${does}: ${statusCode}${message === '' ? '' : ` ${message}`})`,
        statusCode,
      );
    if (statusCode >= 500 || statusCode === TIMEOUT) return problem('failed', `${name} has a problem. Try again later`);
    if (statusCode < 400)
      return problem(
        'refused',
        `${name} redirects to another address, such as a sign-in page. Correct the address of the connection`,
      );
    if (statusCode === UNAUTHORIZED)
      return problem('refused', `${name} does not accept the ${credential}. Enter a new one in the connection`);
    if (statusCode === FORBIDDEN)
      return problem('refused', `The ${credential} of ${name} lacks a permission. ${permission}`);
    if (about === 'connection')
      return problem('refused', `${name} does not accept the request. Check the address of the connection`);
    if (statusCode === NOT_FOUND) return problem('missing', MISSING[about](name, credential));
    return problem('invalid', `${name} does not accept the request. Correct the problem that ${name} names`);
  }

  /** Throws the same error as for a 404 response. */
  refuseMissing(purpose: Purpose): never {
    throw this.problemOf({ statusCode: NOT_FOUND, json: undefined }, purpose);
  }

  /** A text of the tracker that is safe to show: one line, short, and without the credential. */
  plain(text: string): string {
    const line = makeVisibleLine(takeFirstCharacters(text, TRACKER_LIMITS.saidCharacters));
    return this.dialect.secrets.some((secret) => text.includes(secret)) ? '' : line;
  }
}

const NO_CONTENT = 204;
const TOO_MANY = 429;
const TIMEOUT = 408;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;

const MISSING = {
  project: (name: string, credential: string) =>
    `${name} has no such project, or the ${credential} cannot see it. Choose another project, or grant access to this one`,
  issue: (name: string, credential: string) =>
    `${name} has no such issue, or the ${credential} cannot see it. Check the key, or grant access to the issue`,
} as const;

/** Reads `Retry-After`, which is a number of seconds or a date. */
function parseRetrySeconds(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
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

export const formatQuery = (parameters: Readonly<Record<string, string | number | undefined>>): string => {
  const some = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(String(value).toWellFormed())}`],
  );
  return some.length === 0 ? '' : `?${some.join('&')}`;
};

/** Encodes a part of a path. Encodes `.` and `..` twice, because URL parsers also resolve `%2E` and `%2E%2E`. */
export const encodePart = (text: string): string =>
  /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%252E') : encodeURIComponent(text.toWellFormed());

/** The title on one line, cut to a length that every tracker accepts. */
export const formatTitle = (text: string): string =>
  takeFirstCharacters(makeVisibleLine(text), TRACKER_LIMITS.titleCharacters) || 'Test failed';
