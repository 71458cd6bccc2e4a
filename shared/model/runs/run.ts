/** A run. Its groups and instances share its partition. */

import { type Entity, getPartitionSpan, getPrefixSpan, type Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey, RunKey } from '#shared/model/keys.ts';
import type { Counters } from '#shared/model/results/outcomes.ts';
import type { Commit } from './commit.ts';
import { type Expiring, type Expiry, loadExpiry, storeExpiry } from './expiry.ts';
import type { Origin } from './origin.ts';
import type { GoesWithRun } from './removal.ts';

export type RunStatus = 'RUNNING' | 'FAILING' | 'FAILED' | 'PASSED';
export type CompletionState = 'IN_PROGRESS' | 'COMPLETE' | 'CANCELED' | 'TIMEOUT';

export interface Platform {
  readonly osName: string | null;
  readonly osVersion: string | null;
  readonly browserName: string | null;
  readonly browserVersion: string | null;
}

/** As the published Playwright reporter sends it. Imports of Playwright reports use it, too. */
export const PLAYWRIGHT = 'pw';

export interface Framework {
  readonly type: string;
  readonly version: string | null;
  readonly clientVersion: string | null;
}

/** The list of complete runs that contains this run. `groups` is a digest of the group names. */
export interface Listing {
  readonly branch: string;
  readonly groups: string;
}

export interface TryOfBuild {
  /** What all tries of the build have in common. */
  readonly build: string;
  /** The number that the CI system gives the try, counted from 1. */
  readonly attempt: number;
  /** The number that the client gives the try within this attempt (`RUNDOWN_TRY`), counted from 1. */
  readonly again: number;
}

/** One group of a run, as responses show it. */
export interface GroupSummary {
  readonly groupId: string;
  readonly platform: Platform;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly coverageEnabled: boolean;
  readonly specCount: number;
  readonly durationMs: number | null;
  readonly instances: { overall: number; claimed: number; complete: number; passes: number; failures: number };
  /** `tests.tests` counts the expected tests. The other counters count the tests that have reported. */
  readonly tests: Counters & { readonly tests: number };
}

export interface Run {
  readonly organizationId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly ciBuildId: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  readonly endedAt?: number;
  readonly status: RunStatus;
  readonly completionState: CompletionState;
  readonly cancellation?: { readonly actor: string; readonly canceledAt: number; readonly reason: string };
  readonly tags: readonly string[];
  readonly groupTags: readonly string[];
  readonly environments: readonly string[];
  readonly commit: Commit;
  readonly framework: Framework;
  readonly pullRequest?: { readonly id: string; readonly title: string | null };
  /** Whether an import created the run. Such a run accepts further imports of its build even after it is complete. */
  readonly imported?: true;
  /** In milliseconds: of the longest import. 0 if no report says it. Absent if an earlier release imported the run. */
  readonly ran?: number;
  /** The id of the latest import of the run. */
  readonly importId?: string;
  /** Whether the run stays open until an import or the last of its recording machines completes it. */
  readonly held?: true;
  /** Whether the run was held and then released. It may then end without expected tests. */
  readonly released?: true;
  /** The job reported its failure, or its report is truncated or has an error outside tests. The run cannot pass. */
  readonly jobFailed?: true;
  /** The CI jobs that failed for a reason other than their tests. An empty name stands for a job that is not known. */
  readonly failedJobs?: readonly string[];
  /** Whether rows say what is wrong with the run other than its tests. */
  readonly hasProblems?: true;
  /** The key of the request that created the run. A repeated request gets the same response. */
  readonly createdBy: string;
  /** The suites that an earlier release stored, with the time of each. Later ones are in `storedSuites`. */
  readonly suites: Readonly<Record<string, number>>;
  /** The number of groups that have started. Every group ends when the run ends. */
  readonly groupsStarted: number;
  /** The number of spec files in the first suite. Those of further suites are counted in `storedSuites`. */
  readonly instancesExpected: number;
  /** The number of tests in the first suite. */
  readonly testsExpected: number;
  /** The start of the digest of the first suite. */
  readonly countedSuite?: string;
  /** Whether suites are counted in `storedSuites`. */
  readonly hasFurtherSuites?: true;
  /** The inactivity timeout of the project at the time when the run began. */
  readonly inactivityTimeoutSeconds: number;
  /** The run is cancelled when this many tests have failed. */
  readonly cancelAfterFailures?: number;
  /** When the data of the run expires, according to the retention of the project when the run began. */
  readonly expiry: Expiry;
  /** The next check for a timeout or late results, in epoch milliseconds. Also in the row's key in the due index. */
  readonly dueAt: number;
  /** When spec files were last reset, in epoch milliseconds. */
  readonly resetAt?: number;
  /** Grows when a spec file is reset or opened again, or a suite is stored, so that the end of the run overlooks none. */
  readonly resets: number;
  /** Which try of its build the run is. Absent for a build with one try. */
  readonly tryOf?: TryOfBuild;
  /** The CI jobs that recorded the run, as far as clients named them. */
  readonly jobs?: readonly string[];
  /** The addresses of the first CI jobs that recorded the run. */
  readonly ciPages?: readonly string[];
  /** The GitHub Actions run and attempt that created the run. */
  readonly github?: { readonly runId: string; readonly attempt: string };
  /** §5.1 The CI job that created the run without a key. */
  readonly origin?: Origin;
  /** Whether results came from somewhere else, too, so that the origin of the run is not proven. */
  readonly hasOtherOrigins?: true;
  /** Counts recounts of the results after the end, so that an older summary never replaces a newer one. */
  readonly version: number;
  /** Absent for runs that did not complete, have no branch, or completed before such lists existed. */
  readonly listed?: Listing;
  /** Stored once all expected tests have finished, unless too large. If absent, readers compute them from instances. */
  readonly groups?: readonly GroupSummary[];
  /** Tests that several sources reported, when the run last ended or was counted. Absent if there are none. */
  readonly repeated?: RepeatedTests;
  /** How many times the run had ended before a late machine, job or file reopened it. Absent until the first time. */
  readonly ends?: number;
  /** What the latest events said, if results changed since or the run is open again. Else `status` and `groups`. */
  readonly announced?: AnnouncedVerdict;
  /** Reopened by a machine that never says that it has ended, so the run ends after a while of silence. */
  readonly lingers?: true;
}

/** `first` names the first of the tests, in the order of groups, spec files and titles. */
export interface RepeatedTests {
  /** How many there are, or a lower bound if the run has very many spec files with such tests. */
  readonly tests: number;
  /** The first of them by group, spec file and title. */
  readonly first: readonly {
    readonly groupId: string;
    readonly spec: string;
    readonly testId: string;
    readonly title: readonly string[];
  }[];
}

/** The verdict and the counters by group that receivers know. */
export interface AnnouncedVerdict {
  readonly status: RunStatus;
  /** Absent if the run timed out, or if its summary was too large to store. */
  readonly groups?: Readonly<Record<string, string>>;
}

/** Whether the run has ended before, and a late machine, job or file opened it again. */
export const hasBeenReopened = ({ ends }: Pick<Run, 'ends'>): boolean => ends !== undefined;

export const getRunPartition = ({ organizationId, runId }: RunKey) => composeKey('RUN', organizationId, runId);

/** Declares that all rows in the partition of a run are removed together with its results. */
export const WITH_RUN: GoesWithRun['removal'] = {
  ends: 'results',
  ofRun: (run) => [getPartitionSpan(getRunPartition(run))],
};

export const runs: Entity<RunKey, Run> & GoesWithRun = {
  type: 'run',
  guarded: false,
  removal: WITH_RUN,
  patterns: [{ question: 'A run by id' }],
  key: (run) => ({ pk: getRunPartition(run), sk: 'RUN' }),
  store: ({ expiry, ...run }) => ({ ...run, ...storeExpiry(expiry) }),
  load: (row) => ({ ...loadAttributes<Run>(row), expiry: loadExpiry(row) }),
};

type RunEntry = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'createdAt'>;

/** The run itself is stored once, under its id. */
export const runsOfProject: Entity<RunEntry, RunEntry & Expiring> & GoesWithRun = {
  type: 'run, listed',
  guarded: false,
  removal: { ends: 'results', pointers: (run) => [runsOfProject.key(run)] },
  patterns: [{ question: 'Runs of a project, newest first' }],
  key: ({ organizationId, projectId, createdAt, runId }) => ({
    pk: composeKey('RUNS', organizationId, projectId),
    sk: composeKey('RUN', encodeInstant(createdAt), runId),
  }),
  store: pick('organizationId', 'projectId', 'createdAt', 'runId', 'expiresAt'),
  load: loadAttributes,
};

/** Created at or after `from` and before `to`, in epoch milliseconds. */
export function getRunsSpan({ organizationId, projectId }: ProjectKey, from?: number, to?: number): Span {
  const all = getPrefixSpan(composeKey('RUNS', organizationId, projectId), composePrefix('RUN'));
  return {
    pk: all.pk,
    from: from === undefined ? all.from : composeKey('RUN', encodeInstant(from)),
    to: to === undefined ? all.to : composeKey('RUN', encodeInstant(to)),
  };
}

type Member = 'GROUP' | 'INSTANCE';

/** A marker for a deleted run. The build of the run cannot create a new run before `expiresAt`, in epoch seconds. */
interface Deletion extends RunKey {
  readonly deletedAt: number;
  readonly expiresAt: number;
}

export const deletions: Entity<RunKey, Deletion> = {
  type: 'deletion of a run',
  guarded: false,
  // The marker of a deleted run stays when the rows of the run are removed.
  removal: 'apart',
  patterns: [{ question: 'The marker of a deleted run' }],
  key: (run) => ({ pk: getRunPartition(run), sk: 'DELETED' }),
  store: toAttributes,
  load: loadAttributes,
};

export const getRunMembersSpan = (run: RunKey, kind: Member) =>
  getPrefixSpan(getRunPartition(run), composePrefix(kind));
export const getMemberKey = (run: RunKey, kind: Member, id: string) => ({
  pk: getRunPartition(run),
  sk: composeKey(kind, id),
});

export const isUnderWay = ({ completionState }: Pick<Run, 'completionState'>): boolean =>
  completionState === 'IN_PROGRESS';

/**
 * How long an ended run took, in milliseconds. An imported run took as long as its tests, not as long as the import.
 * Runs that an earlier release imported keep the time of the import. `undefined` if the run is in progress, or if its
 * reports do not say it.
 */
export function computeRunDuration({
  createdAt,
  endedAt,
  imported,
  ran,
}: Pick<Run, 'createdAt' | 'endedAt' | 'imported' | 'ran'>) {
  if (endedAt === undefined) return undefined;
  if (!imported || ran === undefined) return Math.max(0, endedAt - createdAt);
  return ran === 0 ? undefined : ran;
}
