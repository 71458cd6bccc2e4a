/**
 * §5.2 What Rundown does by itself with the issues of a project. Access patterns: the settings of a project; its
 * progress; the ended runs to look at; the issues that were created; the quarantines that end with an issue.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import { issuesPartition } from './known-issue.ts';

interface Project {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Where automation creates issues. */
interface IssueTarget {
  readonly integrationId: string;
  readonly trackerProjectId: string;
  /** Only for Jira. */
  readonly issueTypeId?: string;
}

/** Settings that are absent are off. Only complete runs on the default branch count. */
export interface IssueAutomation extends Project {
  /** Optimistic lock: the number of changes. */
  readonly version: number;
  readonly target?: IssueTarget;
  /** Comment when a test fails again after its issue was closed. */
  readonly reportsAgain: boolean;
  /** Comment and close an issue when its test passed in this many runs in a row. */
  readonly closesAfterPasses?: number;
  /** Create an issue when a test failed in this many runs in a row. */
  readonly createsAfterFailures?: number;
  /** Create an issue when a test becomes flaky. */
  readonly createsWhenFlaky: boolean;
  /** The maximum number of issues that automation creates per day in UTC. */
  readonly createsPerDay: number;
  /** Quarantine a test while one of its issues is not done. */
  readonly quarantines: boolean;
}

export const issueAutomation: Entity<Project, IssueAutomation> = {
  type: 'issue automation',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'What Rundown does by itself with the issues of a project',
      key: 'pk = ISSUES#org#project, sk = AUTOMATION',
    },
  ],
  key: (project) => ({ pk: issuesPartition(project), sk: 'AUTOMATION' }),
  store: (settings) => ({ ...settings }),
  load: (row) => stored<IssueAutomation>(row),
};

/** Exists if the project has issues or automation, so that the end of a run costs other projects a single read. */
export interface IssueTracking extends Project {
  /** A pass of the schedule works on the project until this time, in epoch milliseconds. */
  readonly leasedUntil?: number;
  /** When a change last required a pass over the project, in epoch milliseconds. */
  readonly askedAt: number;
  /**
   * The latest problem of an automatic step, which the settings page shows. Later steps that succeed do not remove it.
   */
  readonly problem?: { readonly at: number; readonly message: string };
}

export const issueTracking: Entity<Project, IssueTracking> = {
  type: 'issue tracking',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Whether a project has issues to look at', key: 'pk = ISSUES#org#project, sk = TRACKING' }],
  key: (project) => ({ pk: issuesPartition(project), sk: 'TRACKING' }),
  store: (row) => ({ ...row }),
  load: (row) => stored<IssueTracking>(row),
};

/** A run that has ended and was not looked at yet. */
export interface EndedRun extends Project {
  readonly runId: string;
  /** When the run was created, in epoch milliseconds. */
  readonly createdAt: number;
  readonly branch: string | null;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const endedRuns: Entity<Project & Pick<EndedRun, 'runId' | 'createdAt'>, EndedRun> = {
  type: 'ended run',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'Ended runs whose results the issues of the project do not reflect yet, oldest first',
      key: 'pk = ISSUES#org#project, sk = RUN#createdAt#run',
    },
  ],
  key: ({ runId, createdAt, ...project }) => ({
    pk: issuesPartition(project),
    sk: composed('RUN', instantKey(createdAt), runId),
  }),
  store: (run) => ({ ...run }),
  load: (row) => stored<EndedRun>(row),
};

export const endedRunsSpan = (project: Project) => beginningWith(issuesPartition(project), prefix('RUN'));

/**
 * An issue that automation created or is about to create. It counts for the limit per day, and keeps a test whose issue
 * was unlinked from getting another one for the same failures.
 */
export interface AutomaticIssue extends Project {
  /** The day in UTC, such as `2026-11-02`. */
  readonly day: string;
  /** The signature of the test. */
  readonly signature: string;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  /** `begun` is continued by the next pass. `refused` is not attempted again on the same day. */
  readonly state: 'begun' | 'created' | 'refused';
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const automaticIssues: Entity<Project & Pick<AutomaticIssue, 'day' | 'signature'>, AutomaticIssue> = {
  type: 'automatic issue',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'Issues that were created without a person, by day',
      key: 'pk = ISSUES#org#project, sk = MADE#day#signature',
    },
  ],
  key: ({ day, signature, ...project }) => ({ pk: issuesPartition(project), sk: composed('MADE', day, signature) }),
  store: (issue) => ({ ...issue }),
  load: (row) => stored<AutomaticIssue>(row),
};

export const automaticIssuesSpan = (project: Project) => beginningWith(issuesPartition(project), prefix('MADE'));

/** A quarantine that lasts until all issues of the test are done. */
export interface IssueQuarantine extends Project {
  /** The signature of the test. */
  readonly signature: string;
  /** The rule. No second one is created for these issues, even if somebody disables this one. */
  readonly actionId: string;
}

export const issueQuarantines: Entity<Project & Pick<IssueQuarantine, 'signature'>, IssueQuarantine> = {
  type: 'issue quarantine',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'Quarantines that end when the issues of their test are done',
      key: 'pk = ISSUES#org#project, sk = QUARANTINE#signature',
    },
  ],
  key: ({ signature, ...project }) => ({ pk: issuesPartition(project), sk: composed('QUARANTINE', signature) }),
  store: (quarantine) => ({ ...quarantine }),
  load: (row) => stored<IssueQuarantine>(row),
};

export const issueQuarantinesSpan = (project: Project) => beginningWith(issuesPartition(project), prefix('QUARANTINE'));
