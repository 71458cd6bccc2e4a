/** §5.2 Issue automation: the changes that Rundown makes to the issues of a project without a person. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { getIssuesPartition } from './known-issue.ts';

/** Where automation creates issues. */
interface IssueTarget {
  readonly integrationId: string;
  readonly trackerProjectId: string;
  /** Only for Jira. */
  readonly issueTypeId?: string;
}

/** The settings of a project. A setting that is absent is off. Only complete runs on the default branch count. */
export interface IssueAutomation extends ProjectKey {
  /** Optimistic lock: the number of changes. */
  readonly version: number;
  readonly target?: IssueTarget;
  /** Whether to comment on a closed issue when its test fails again. */
  readonly reportsAgain: boolean;
  /** An issue gets a comment and is closed when its test passed in this many runs in a row. */
  readonly closesAfterPasses?: number;
  /** An issue is created when a test failed in this many runs in a row. */
  readonly createsAfterFailures?: number;
  readonly createsWhenFlaky: boolean;
  /** The maximum number of issues that automation creates per day in UTC. */
  readonly createsPerDay: number;
  /** Whether to quarantine a test until all its issues are done. */
  readonly quarantines: boolean;
}

export const issueAutomation: Entity<ProjectKey, IssueAutomation> = {
  type: 'issue automation',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'What Rundown does automatically with the issues of a project' }],
  key: (project) => ({ pk: getIssuesPartition(project), sk: 'AUTOMATION' }),
  store: toAttributes,
  load: loadAttributes,
};

/** Only projects with issues or automation have this row. In others, the end of a run costs a single read. */
export interface IssueTracking extends ProjectKey {
  /** When the lease of the pass that is working on the project expires, in epoch milliseconds. */
  readonly leasedUntil?: number;
  /** When a pass over the project was last requested, in epoch milliseconds. */
  readonly askedAt: number;
  /** Shown on the settings page. Later success does not remove it. A change that requests a pass does. */
  readonly problem?: { readonly at: number; readonly message: string };
}

export const issueTracking: Entity<ProjectKey, IssueTracking> = {
  type: 'issue tracking',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Whether a project has issues to look at' }],
  key: (project) => ({ pk: getIssuesPartition(project), sk: 'TRACKING' }),
  store: toAttributes,
  load: loadAttributes,
};

/** No pass has processed it yet. */
export interface EndedRun extends ProjectKey {
  readonly runId: string;
  /** When the run was created, in epoch milliseconds. */
  readonly createdAt: number;
  readonly branch: string | null;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const endedRuns: Entity<ProjectKey & Pick<EndedRun, 'runId' | 'createdAt'>, EndedRun> = {
  type: 'ended run',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Ended runs whose results the issues of the project do not reflect yet, oldest first' }],
  key: (run) => ({ pk: getIssuesPartition(run), sk: composeKey('RUN', encodeInstant(run.createdAt), run.runId) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getEndedRunsSpan = (project: ProjectKey) =>
  getPrefixSpan(getIssuesPartition(project), composePrefix('RUN'));

/** Counts toward the limit per day. Also keeps automation from creating it again after somebody unlinks it. */
export interface AutomaticIssue extends ProjectKey {
  /** The day in UTC, such as `2026-11-02`. */
  readonly day: string;
  /** The signature of the test. */
  readonly signature: string;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  /** `begun`: the next pass continues if this one was interrupted. `refused`: no pass tries again on the same day. */
  readonly state: 'begun' | 'created' | 'refused';
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const automaticIssues: Entity<ProjectKey & Pick<AutomaticIssue, 'day' | 'signature'>, AutomaticIssue> = {
  type: 'automatic issue',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Issues that were created without a person, by day' }],
  key: (issue) => ({ pk: getIssuesPartition(issue), sk: composeKey('MADE', issue.day, issue.signature) }),
  store: toAttributes,
  load: loadAttributes,
};

/** The number of issues that automation created in a project on one day. It is raised in the transaction that begins one. */
interface IssuesOfDay extends ProjectKey {
  readonly day: string;
  readonly count: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const issuesOfDay: Entity<ProjectKey & Pick<IssuesOfDay, 'day'>, IssuesOfDay> = {
  type: 'automatic issues of a day',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'How many issues were created without a person on a day' }],
  key: (row) => ({ pk: getIssuesPartition(row), sk: composeKey('DAY', row.day) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getAutomaticIssuesSpan = (project: ProjectKey) =>
  getPrefixSpan(getIssuesPartition(project), composePrefix('MADE'));

/** A quarantine that lasts until all issues of the test are done. */
export interface IssueQuarantine extends ProjectKey {
  /** The signature of the test. */
  readonly signature: string;
  /** Automation creates no second rule until this quarantine ends, even if somebody disables the rule. */
  readonly actionId: string;
}

export const issueQuarantines: Entity<ProjectKey & Pick<IssueQuarantine, 'signature'>, IssueQuarantine> = {
  type: 'issue quarantine',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Quarantines that end when the issues of their test are done' }],
  key: (row) => ({ pk: getIssuesPartition(row), sk: composeKey('QUARANTINE', row.signature) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getIssueQuarantinesSpan = (project: ProjectKey) =>
  getPrefixSpan(getIssuesPartition(project), composePrefix('QUARANTINE'));
