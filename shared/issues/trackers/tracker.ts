/** The interface of every issue tracker. Each tracker is implemented in its own file in this folder. */
import type { Integration } from '#shared/model/issues/integration.ts';
import type { IssueState } from '#shared/model/issues/known-issue.ts';
import type { Network } from '#shared/sending/exchange.ts';
import { RequestProblem } from '#shared/sending/request-problem.ts';
import type { TextBlock } from '../text/blocks.ts';

export interface TrackerAccess extends Pick<Integration, 'kind' | 'apiUrl' | 'account'> {
  readonly token: string;
}

export interface TrackerNetwork extends Network {
  readonly now: () => number;
}

export interface TrackerProject {
  /** What `create` takes: the id of a Jira project or a Linear team, `owner/name`, or the path of a GitLab project. */
  readonly id: string;
  /** A short name, such as `SHOP`. For GitHub and GitLab, the same as the id. */
  readonly key: string;
  readonly name: string;
}

/** A type of issue in a project, such as Bug. Trackers without types offer `Issue`. */
export interface IssueType {
  readonly id: string;
  readonly name: string;
}

export interface NewTrackerIssue {
  readonly projectId: string;
  readonly typeId: string | undefined;
  readonly title: string;
  readonly text: readonly TextBlock[];
  /**
   * A random text by which `findCreated` finds the issue if the response was lost. The issue contains it, or in Linear
   * has an id that is derived from it.
   */
  readonly marker: string;
  /** Values of fields that the tracker's project requires. */
  readonly customFields?: readonly { readonly fieldId: string; readonly value: unknown }[] | undefined;
}

export interface TrackerIssue {
  /** The key by which people name the issue, and which `get` takes: `SHOP-12`, or `acme/shop#12`. */
  readonly key: string;
  readonly url: string;
  readonly title: string;
  readonly state: IssueState;
  /** The tracker's own name for the state, such as `In Review`. */
  readonly stateName: string;
}

export interface PageOfProjects {
  readonly projects: readonly TrackerProject[];
  /** Absent if the tracker does not report it, or if not all pages were read. */
  readonly total?: number | undefined;
  readonly hasMore: boolean;
}

/** Every function throws `TrackerProblem` if the tracker does not do what was asked. */
export interface Tracker {
  /** Checks the credential, and returns the name of its account. */
  readonly whoAmI: () => Promise<string>;
  /** `page` counts from 0, `limit` is at most 100. */
  readonly projects: (query: {
    readonly search?: string | undefined;
    readonly page: number;
    readonly limit: number;
  }) => Promise<PageOfProjects>;
  readonly issueTypes: (projectId: string) => Promise<readonly IssueType[]>;
  /** Not idempotent. */
  readonly create: (issue: NewTrackerIssue) => Promise<TrackerIssue>;
  /** Finds an issue that `create` made at `since` (epoch milliseconds) or later, by its marker. */
  readonly findCreated: (
    issue: Pick<NewTrackerIssue, 'projectId' | 'marker'> & { readonly since: number },
  ) => Promise<TrackerIssue | undefined>;
  /** Returns `undefined` if the tracker has no such issue. */
  readonly get: (key: string) => Promise<TrackerIssue | undefined>;
  /** Not idempotent. */
  readonly comment: (key: string, text: readonly TextBlock[]) => Promise<void>;
  /** Moves the issue to a state that counts as done. Does nothing if the issue is done already. */
  readonly close: (key: string) => Promise<void>;
}

type TrackerVerdict =
  /** The tracker was slow, unreachable or broken. A later attempt may succeed. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number }
  /** The tracker does not accept the credential, or the address is wrong. Nothing works until somebody corrects it. */
  | { readonly kind: 'refused' }
  /** The project or the issue does not exist, or the credential cannot see it. */
  | { readonly kind: 'missing' }
  /** The tracker does not accept the request, for example because a field is missing or issues are disabled. */
  | { readonly kind: 'invalid'; readonly fields?: readonly RefusedField[] };

/** A field that the tracker's project requires, or whose value it does not accept. */
export interface RefusedField {
  readonly fieldId: string;
  readonly name: string;
  /** The form of its value: a text, a number, `{ id }` of one of the options, or a list of these. */
  readonly type: 'text' | 'number' | 'option' | 'options';
  readonly options: readonly { readonly id: string; readonly name: string }[];
}

export class TrackerProblem extends RequestProblem<TrackerVerdict> {
  override name = 'TrackerProblem';
}
