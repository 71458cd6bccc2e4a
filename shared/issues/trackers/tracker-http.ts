/** Requests to the API of an issue tracker. */
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import {
  type ApiAnswer,
  type ApiCall,
  ApiClient,
  type ApiDialect,
  type ApiFailure,
  FORBIDDEN,
  NOT_FOUND,
  UNAUTHORIZED,
} from '#shared/hosts/api-client.ts';
import { RefusedAddress } from '#shared/sending/guarded-lookup.ts';
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
  messageCharacters: 300,
  /** The maximum pause after a rate limit is reached, whatever the tracker says. */
  longestPauseSeconds: 3600,
  /** How far the clock of a tracker may differ from ours when issues are filtered by their creation time. */
  clockMilliseconds: 10 * 60_000,
} as const;

/** The purpose of a request, for error messages. */
export interface Purpose {
  readonly subject: string;
  /** What is missing if the tracker answers 404. */
  readonly about: 'connection' | 'project' | 'issue';
}

export interface TrackerCall extends ApiCall, Purpose {}

/** What differs between the APIs of trackers. */
export interface TrackerDialect extends ApiDialect {
  readonly name: string;
  /** What the tracker calls its credential, and which permission it needs. */
  readonly credential: string;
  readonly permission: string;
}

/**
 * The network has no connections to reuse. A request on a reused connection is sent again if the connection turns out to
 * be closed, and could create a second issue.
 */
export class TrackerHttp extends ApiClient<TrackerCall> {
  readonly #dialect: TrackerDialect;

  constructor(dialect: TrackerDialect, apiUrl: string, network: TrackerNetwork) {
    super(dialect, { apiUrl, agent: 'Rundown-Issues/1', ...TRACKER_LIMITS }, network);
    this.#dialect = dialect;
  }

  protected override limitBytes({ about }: Purpose): number {
    return TRACKER_LIMITS.answerBytes[about === 'issue' ? 'issue' : 'list'];
  }

  protected override explain(failure: ApiFailure, purpose: Purpose): TrackerProblem {
    const { name } = this.#dialect;
    const { subject } = purpose;
    switch (failure.kind) {
      case 'address':
        return new TrackerProblem({ kind: 'refused' }, `The address of ${name} cannot be used. ${failure.problem}`);
      case 'late':
        return new TrackerProblem({ kind: 'failed' }, `${name} responds too slowly. Try again later`);
      case 'unanswered':
        return this.#explainSilence(failure.error, subject);
      case 'incomplete': {
        const problem = `The response of ${name} is incomplete, or is not JSON (${subject}). Try again later, and check that the address of the connection is that of its API`;
        return new TrackerProblem({ kind: 'failed' }, problem, failure.answer.statusCode);
      }
      case 'limit': {
        const retryAfterSeconds = Math.min(TRACKER_LIMITS.longestPauseSeconds, failure.pauseSeconds);
        const problem = `The rate limit of ${name} is reached (${subject}). Try again in ${retryAfterSeconds} seconds`;
        return new TrackerProblem({ kind: 'limited', retryAfterSeconds }, problem, failure.answer.statusCode);
      }
      case 'refusal':
        return this.explainRefusal(failure.answer, purpose);
    }
  }

  /** The verdict is `failed`, because the tracker may still have done what was asked. */
  protected override explainFormat({ statusCode }: ApiAnswer, subject: string): TrackerProblem {
    const problem = `The response of ${this.#dialect.name} has an unexpected format (${subject}). Check that the address of the connection is that of its API`;
    return new TrackerProblem({ kind: 'failed' }, problem, statusCode);
  }

  #explainSilence(error: string, subject: string): TrackerProblem {
    const { name } = this.#dialect;
    if (error === new RefusedAddress().message) {
      const problem = `The address of ${name} leads into a network that Rundown may not reach. Save a public address, or ask the operator to allow it`;
      return new TrackerProblem({ kind: 'refused' }, problem);
    }
    const problem = `${name} could not be reached (${subject}: ${error}). Try again later, and check the address of the connection`;
    return new TrackerProblem({ kind: 'failed' }, problem);
  }

  explainRefusal(answer: ApiAnswer, { subject, about }: Purpose): TrackerProblem {
    const { name, credential, permission } = this.#dialect;
    const { statusCode } = answer;
    const problem = (kind: Exclude<TrackerProblem['verdict']['kind'], 'limited'>, text: string) =>
      new TrackerProblem({ kind }, this.addDetails(text, answer, subject), statusCode);
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
    throw this.explainRefusal({ statusCode: NOT_FOUND, json: undefined, headers: {} }, purpose);
  }
}

const TIMEOUT = 408;

const MISSING = {
  project: (name: string, credential: string) =>
    `${name} has no such project, or the ${credential} cannot see it. Choose another project, or grant access to this one`,
  issue: (name: string, credential: string) =>
    `${name} has no such issue, or the ${credential} cannot see it. Check the key, or grant access to the issue`,
} as const;

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
