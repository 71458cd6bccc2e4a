/**
 * The interface between the read model, which stores totals of ended runs, and the code that computes metrics from
 * them.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { Annotation } from '#shared/model/results/attempt.ts';
import type { Counters, RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { CompletionState, RunStatus } from '#shared/model/runs/run.ts';

export interface AnalyticsScope {
  readonly organizationId: string;
  readonly projectId: string;
}

export interface AnalyticsRequest<Query> extends AnalyticsScope {
  readonly query: Query;
}

/** Creation times of runs in epoch milliseconds: `from` inclusive, `to` exclusive. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Lists are combined with AND, their values with OR, but `tags` with `tagOperator`. An empty list does not filter. */
export interface AnalyticsFilter {
  readonly tags: readonly string[];
  readonly tagOperator: 'AND' | 'OR';
  readonly branches: readonly string[];
  readonly groups: readonly string[];
  /** Names or email addresses of commit authors. */
  readonly authors: readonly string[];
  readonly environments: readonly string[];
}

export const NO_FILTER: AnalyticsFilter = {
  tags: [],
  tagOperator: 'OR',
  branches: [],
  groups: [],
  authors: [],
  environments: [],
};

/** One number per final outcome of a test. */
export type PerOutcome = Readonly<Record<RecordedTestOutcome, number>>;

/** The totals of a test. Every metric of a test is computed from these 16 integers. */
export interface Totals {
  readonly executions: PerOutcome;
  readonly flaky: PerOutcome;
  /** The total duration of the executions in `timed`. */
  readonly milliseconds: PerOutcome;
  /** Executions with a known duration: plausible, and not interrupted in the last attempt. */
  readonly timed: PerOutcome;
}

/** The totals of a series: one test with one set of its own tags and annotations. */
export interface SeriesTotals {
  readonly signature: string;
  readonly specFile: string;
  readonly title: readonly string[];
  readonly tags: readonly string[];
  readonly annotations: readonly Annotation[];
  readonly totals: Totals;
  /** `createdAt` of the latest matching run in which the test was executed. */
  readonly lastSeen: number;
}

/** Totals of a part of a period: of the span of a summary, or of a leaf span if read from the facts of a run. */
export interface TimeSlice extends Period {
  readonly totals: Totals;
}

/** An instance in an ended run counts as an execution if a machine claimed it or it has a result. */
export interface SpecTotals {
  readonly specFile: string;
  readonly executions: number;
  readonly failed: number;
  readonly flaky: number;
  readonly fullyReported: number;
  readonly timedOut: number;
  /** The total time during which tests ran (`busyTime`), summed over the executions that `timed` counts. */
  readonly milliseconds: number;
  readonly timed: number;
  /** The mean of the executions about as long as the median one. `undefined` if no duration is known. */
  readonly typicalMilliseconds: number | undefined;
  readonly millisecondsWithoutFailed: number;
  readonly timedWithoutFailed: number;
  /** The largest number of expected tests in any fully reported execution. */
  readonly suiteSize: number;
}

export interface RunGroupFacts {
  readonly runId: string;
  readonly groupId: string;
  readonly createdAt: number;
  readonly endedAt: number;
  readonly branch: string | null;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly sha: string | null;
  readonly environment: string | null;
  /** The tags of the run and of the group. */
  readonly tags: readonly string[];
  readonly completionState: CompletionState;
  readonly status: RunStatus;
  readonly counters: Counters;
  /** How long the tests of an imported run took, in milliseconds. `null` if that is not known. Absent for other runs. */
  readonly ran?: number | null | undefined;
  /** Spec files with damaged results, which are not part of any other total. Absent if there are none. */
  readonly incomplete?: number | undefined;
}

/** One failed or flaky execution with an error. */
export interface Occurrence {
  readonly signature: string;
  readonly title: readonly string[];
  readonly specFile: string;
  readonly message: string;
  readonly target: string | null;
  readonly action: string | null;
  readonly category: string | null;
  readonly branch: string | null;
  readonly runId: string;
  readonly createdAt: number;
}

/** Returns no rows if the project is unknown or belongs to another organization. */
export type Reader<Row> = (
  services: WithTable,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
) => Promise<readonly Row[]>;
