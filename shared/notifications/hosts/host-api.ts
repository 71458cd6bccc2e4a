/** Requests to the REST API of a code host about one repository, and what a code host has to define for them. */
import type * as z from 'zod';
import {
  type ApiAnswer,
  type ApiCall,
  ApiClient,
  type ApiDialect,
  type ApiFailure,
  type ApiNetwork,
  BAD_REQUEST,
} from '#shared/hosts/api-client.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import { CODE_HOSTS, type HostTexts } from '#shared/notifications/code-hosts.ts';
import { DeliveryProblem } from '#shared/notifications/delivery-problem.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';

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
  readonly makeDialect: (token: string) => ApiDialect;
  /** The error message for a response with this status code. */
  readonly problems: Readonly<Record<number, string>>;
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

export class HostApi extends ApiClient<ApiCall> {
  readonly host: CodeHost;
  readonly texts: HostTexts;

  constructor(
    host: CodeHost,
    { notification, token }: { readonly notification: HostNotification; readonly token: string },
    network: ApiNetwork,
  ) {
    const { messageCharacters, lastRequestMilliseconds } = NOTIFICATION_LIMITS;
    const settings = {
      apiUrl: host.urlOf(notification),
      agent: 'Rundown-Notifications/1',
      messageCharacters,
      lastRequestMilliseconds,
    };
    super(host.makeDialect(token), settings, network);
    this.host = host;
    this.texts = CODE_HOSTS[notification.kind];
  }

  protected override limitBytes(): number {
    return NOTIFICATION_LIMITS.answerBytes;
  }

  protected override explain(failure: ApiFailure, { subject }: Pick<ApiCall, 'subject'>): DeliveryProblem {
    const { name } = this.texts;
    const makeFailure = (problem: string, statusCode: number | null = null) =>
      new DeliveryProblem({ kind: 'failed' }, problem, statusCode);
    switch (failure.kind) {
      case 'address':
        return new DeliveryProblem({ kind: 'refused' }, failure.problem);
      case 'late':
        return makeFailure(`${name} responded too slowly to complete this notification`);
      case 'unanswered':
        return makeFailure(failure.error);
      case 'incomplete': {
        const problem = `${name}'s response is not JSON, or is too long (${subject}). Check the API address`;
        return makeFailure(failure.error ?? problem, failure.answer.statusCode);
      }
      case 'limit': {
        const problem = this.addDetails(`${name}'s rate limit is reached`, failure.answer, subject);
        const verdict = { kind: 'failed', retryAfter: String(failure.pauseSeconds), pauses: true } as const;
        return new DeliveryProblem(verdict, problem, failure.answer.statusCode);
      }
      case 'refusal':
        return this.explainRefusal(failure.answer, subject);
    }
  }

  explainRefusal(answer: ApiAnswer, subject: string): DeliveryProblem {
    const { statusCode } = answer;
    const problem = this.host.problems[statusCode] ?? PROBLEM_BY_STATUS[statusCode]?.(this.texts);
    const kind = classifyRefusal(statusCode);
    const text = this.addDetails(problem ?? `${this.texts.name} did not accept the request`, answer, subject);
    return new DeliveryProblem({ kind }, text, statusCode);
  }

  /** Says to check the address, because a proxy may have answered in place of the host. */
  protected override explainFormat(): DeliveryProblem {
    const problem = `${this.texts.name}'s response has an unexpected format. Check the API address`;
    return new DeliveryProblem({ kind: 'failed' }, problem);
  }

  /** Throws the error that disables the notification if the repository is missing. */
  async requireRepository(): Promise<void> {
    await this.ask({ path: '', subject: this.texts.place });
  }
}

const REQUEST_TIMEOUT = 408;
const CONFLICT = 409;
const GONE = 410;
const UNPROCESSABLE = 422;

/** The same request may succeed later. */
const SOON_OVER: readonly number[] = [REQUEST_TIMEOUT, CONFLICT];

/** These codes concern only one run: for example, its commit was not pushed, or its pull request is locked. */
const OF_ONE_RUN: readonly number[] = [BAD_REQUEST, GONE, UNPROCESSABLE];

/** `refused` disables the notification. Redirects also count as refusals, because they are not followed. */
function classifyRefusal(statusCode: number): 'failed' | 'pointless' | 'refused' {
  if (statusCode >= 500 || SOON_OVER.includes(statusCode)) return 'failed';
  return OF_ONE_RUN.includes(statusCode) ? 'pointless' : 'refused';
}

const PROBLEM_BY_STATUS: Readonly<Record<number, (texts: HostTexts) => string>> = {
  401: ({ name }) => `${name} does not accept the token. Replace it`,
  404: ({ place }) => `The ${place} does not exist, or the token has no access to it. Correct one of them`,
};
