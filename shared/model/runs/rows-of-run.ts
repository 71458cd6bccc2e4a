/** All kinds of rows of a run, for its deletion. A test checks that each entity is here or has the removal `apart`. */
import type { Span } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import { factsParts } from '#shared/model/analytics/facts.ts';
import { dueFiles, dueRuns } from '#shared/model/due.ts';
import { sessionMachines } from '#shared/model/orchestration/machine.ts';
import { planPages } from '#shared/model/orchestration/plan.ts';
import { orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { tasks } from '#shared/model/orchestration/task.ts';
import { artifacts } from '#shared/model/results/artifact.ts';
import { evidenceParts, traceAnalyses } from '#shared/model/results/evidence.ts';
import { failures } from '#shared/model/results/failures.ts';
import { history } from '#shared/model/results/history-row.ts';
import { instances } from '#shared/model/results/instance.ts';
import { detailsParts } from '#shared/model/results/instance-details.ts';
import { instanceResets } from '#shared/model/results/instance-reset.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { suiteKeys } from '#shared/model/results/suite-keys.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { affectedTests } from '#shared/model/rules/affected-test.ts';
import { quarantinedTests } from '#shared/model/rules/quarantined-test.ts';
import { buildTries } from './build-tries.ts';
import { completeRuns } from './complete-run.ts';
import { groups } from './group.ts';
import { joins } from './join.ts';
import { progressRows } from './progress.ts';
import { pullRequestRuns, runsOfPullRequest } from './pull-request.ts';
import { recordingMachines } from './recording-machine.ts';
import type { GoesWithRun } from './removal.ts';
import { runs, runsOfProject } from './run.ts';
import { runsOfGithubBuild } from './run-of-build.ts';
import { runsOfCommit } from './run-of-commit.ts';
import { runProblems } from './run-problem.ts';
import { runWords } from './run-word.ts';
import { startLocks } from './start-lock.ts';
import { storedSuites } from './stored-suites.ts';

export const ROWS_OF_RUN: readonly GoesWithRun[] = [
  runs,
  runsOfProject,
  runsOfGithubBuild,
  runsOfCommit,
  buildTries,
  completeRuns,
  runWords,
  dueRuns,
  groups,
  joins,
  recordingMachines,
  runProblems,
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
  storedSuites,
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
type RemovalSubject<Name extends 'ofRun' | 'pointers' | 'ofInstance' | 'ofTest'> = Parameters<
  NonNullable<Removal[Name]>
>[0];

/** Several kinds of rows may share a span. */
const deduplicate = <Place extends Span | TableKey>(all: readonly Place[]): Place[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];

const REMOVALS = ROWS_OF_RUN.map(({ removal }) => removal);

export const listRunSpans = (run: RemovalSubject<'ofRun'>): Span[] =>
  deduplicate(REMOVALS.flatMap(({ ofRun }) => ofRun?.(run) ?? []));

export const listInstanceSpans = (instance: RemovalSubject<'ofInstance'>): Span[] =>
  deduplicate(REMOVALS.flatMap(({ ofInstance }) => ofInstance?.(instance) ?? []));

export const listPointers = (run: RemovalSubject<'pointers'>): TableKey[] =>
  REMOVALS.flatMap(({ pointers }) => pointers?.(run) ?? []);

export const listTestRowKeys = (test: RemovalSubject<'ofTest'>): TableKey[] =>
  REMOVALS.flatMap(({ ofTest }) => ofTest?.(test) ?? []);
