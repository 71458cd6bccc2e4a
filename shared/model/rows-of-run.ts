/**
 * All kinds of rows that belong to a run. A test fails for a kind that is neither here nor deleted apart. So no deletion
 * can forget a kind.
 */
import type { Span } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import { affectedTests } from './affected-test.ts';
import { factsParts } from './analytics-facts.ts';
import { artifacts } from './artifact.ts';
import { completeRuns } from './complete-run.ts';
import { dueFiles, dueRuns } from './due.ts';
import { evidenceParts, traceAnalyses } from './evidence.ts';
import { failures } from './failures.ts';
import { groups } from './group.ts';
import { history } from './history-row.ts';
import { instances } from './instance.ts';
import { detailsParts } from './instance-details.ts';
import { instanceResets } from './instance-reset.ts';
import { joins } from './join.ts';
import { orchestrationSessions } from './orchestration.ts';
import { sessionMachines } from './orchestration-machine.ts';
import { planPages } from './orchestration-plan.ts';
import { tasks } from './orchestration-task.ts';
import { progressRows } from './progress.ts';
import { pullRequestRuns, runsOfPullRequest } from './pull-request.ts';
import { quarantinedTests } from './quarantined-test.ts';
import type { GoesWithRun } from './removal.ts';
import { runs, runsOfProject } from './run.ts';
import { runsOfGithubBuild } from './run-of-build.ts';
import { shownFiles } from './shown-files.ts';
import { startLocks } from './start-lock.ts';
import { suiteKeys } from './suite-keys.ts';
import { testRecords } from './test-record.ts';
import { uploadTallies } from './upload-tally.ts';

export const ROWS_OF_RUN: readonly GoesWithRun[] = [
  runs,
  runsOfProject,
  runsOfGithubBuild,
  completeRuns,
  dueRuns,
  groups,
  joins,
  instances,
  runsOfPullRequest,
  pullRequestRuns,
  testRecords,
  evidenceParts,
  traceAnalyses,
  artifacts,
  detailsParts,
  instanceResets,
  suiteKeys,
  uploadTallies,
  dueFiles,
  failures,
  shownFiles,
  progressRows,
  history,
  affectedTests,
  quarantinedTests,
  startLocks,
  factsParts,
  orchestrationSessions,
  planPages,
  tasks,
  sessionMachines,
];

type Removal = GoesWithRun['removal'];
type Given<Name extends 'ofRun' | 'pointers' | 'ofInstance' | 'ofTest'> = Parameters<NonNullable<Removal[Name]>>[0];

/** Each span once, because kinds may share one. */
const distinct = <Place extends Span | TableKey>(all: readonly Place[]): Place[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];

const REMOVALS = ROWS_OF_RUN.map(({ removal }) => removal);

export const spansOfRun = (run: Given<'ofRun'>): Span[] =>
  distinct(REMOVALS.flatMap(({ ofRun }) => ofRun?.(run) ?? []));

export const spansOfInstance = (instance: Given<'ofInstance'>): Span[] =>
  distinct(REMOVALS.flatMap(({ ofInstance }) => ofInstance?.(instance) ?? []));

export const pointersTo = (run: Given<'pointers'>): TableKey[] =>
  REMOVALS.flatMap(({ pointers }) => pointers?.(run) ?? []);

export const rowsOfTest = (test: Given<'ofTest'>): TableKey[] => REMOVALS.flatMap(({ ofTest }) => ofTest?.(test) ?? []);
