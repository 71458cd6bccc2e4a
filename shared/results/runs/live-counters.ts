/** Counters of a run in progress. They are exact for complete spec files, but may lag behind for running ones. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { countKnownTests, type Instance, isComplete } from '#shared/model/results/instance.ts';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import {
  decodeProgress,
  type FileProgress,
  getFileAttribute,
  getProgressSpan,
  progressRows,
} from '#shared/model/runs/progress.ts';
import { getRecordingMachinesSpan, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { type AddedBySuite, getSuitesSpan, storedSuites, sumSuites } from '#shared/model/runs/stored-suites.ts';

/**
 * What machines have announced of a run in progress: all of its tests, or only how many spec files they will run, or
 * neither. `files` is `undefined` if some machine did not say it.
 */
export interface RunPlan {
  readonly hasTests: boolean;
  readonly files: number | undefined;
}

export interface RunProgress extends Pick<Run, 'projectId' | 'status' | 'completionState'> {
  readonly specFiles: { readonly total: number; readonly complete: number };
  /** `tests` counts expected tests. The other counters count reported ones. */
  readonly tests: Counters & { readonly tests: number };
  readonly plan: RunPlan;
}

/** For pages that poll. The cost depends only slightly on the number of spec files, and not on that of tests. */
export async function readLiveRun(
  services: WithTable,
  key: RunKey,
): Promise<{ readonly run: Run; readonly progress: RunProgress }> {
  const [row, files] = await Promise.all([services.table.get(runs, key), readFileProgress(services, key)]);
  const run = row ?? refuse(notFound('Run'));
  return { run, progress: await computeRunProgress(services, run, files) };
}

export const readProgress = async (services: WithTable, key: RunKey): Promise<RunProgress> =>
  (await readLiveRun(services, key)).progress;

export const readProgressOfRun = async (services: WithTable, run: Run): Promise<RunProgress> =>
  computeRunProgress(services, run, await readFileProgress(services, run));

async function computeRunProgress(
  services: WithTable,
  run: Run,
  files: ReadonlyMap<string, FileProgress>,
): Promise<RunProgress> {
  const { projectId, status, completionState } = run;
  const all = [...files.values()];
  const counters = sumCounters(all.map((file) => file.counters));
  const totals = await countExpected(services, run);
  const knownTests = all.reduce((sum, file) => sum + file.known, 0);
  return {
    projectId,
    status,
    completionState,
    specFiles: {
      total: Math.max(totals.files, all.length),
      complete: all.filter((file) => file.isComplete).length,
    },
    tests: { ...counters, tests: Math.max(totals.tests, counters.overall) },
    plan: await readPlan(services, run, { announced: totals.tests, known: knownTests }),
  };
}

/**
 * `known`: the number of tests that were announced or have reported. If it is larger than `announced`, some machine
 * finds its tests only when it runs them. Machines are read only if no test was announced.
 */
async function readPlan(
  { table }: WithTable,
  run: Run,
  { announced, known }: { readonly announced: number; readonly known: number },
): Promise<RunPlan> {
  if (announced > 0 || !isUnderWay(run) || !run.held) return { hasTests: known <= announced, files: undefined };
  const rows = await table.queryAll(recordingMachines, getRecordingMachinesSpan(run));
  // The latest process of a machine replaces earlier ones.
  const machines = new Map(rows.toSorted((one, other) => one.at - other.at).map((row) => [row.machineId, row]));
  const counts = [...machines.values()].map(({ specFiles = Number.NaN }) => specFiles);
  const files = counts.reduce((sum, count) => sum + count, 0);
  return { hasTests: false, files: files > 0 ? files : undefined };
}

/** The same for a page that has read the spec files. */
export const readPlanOfFiles = (services: WithTable, run: Run, files: readonly Instance[]): Promise<RunPlan> =>
  readPlan(services, run, {
    announced: files.reduce((sum, { expected }) => sum + expected, 0),
    known: files.reduce((sum, file) => sum + countKnownTests(file), 0),
  });

/**
 * What a page of a run in progress depends on, as far as a poll can read it cheaply. When it changes, the page is read
 * again. The page itself computes it from rows that it shows.
 */
export const pickLiveState = (
  run: Run,
  { specFiles, tests }: { readonly specFiles: Pick<RunProgress['specFiles'], 'complete'>; readonly tests: Counters },
): unknown => [
  run.completionState,
  run.status,
  run.testsExpected,
  run.instancesExpected,
  run.groupsStarted,
  run.resets,
  run.version,
  run.hasProblems,
  run.failedJobs,
  specFiles.complete,
  tests.passes,
  tests.failures,
  tests.flaky,
  tests.pending,
  tests.skipped,
];

/** What all suites of the run together expect. */
async function countExpected({ table }: WithTable, run: Run): Promise<AddedBySuite> {
  const { completionState, instancesExpected: files, testsExpected: tests, hasFurtherSuites } = run;
  if (!hasFurtherSuites) return { files, tests };
  const laterSuites = sumSuites(await table.queryAll(storedSuites, getSuitesSpan(run)));
  // Concurrent suites may both count a test that they share. A complete run has a result of each expected test.
  return { files: files + laterSuites.files, tests: completionState === 'COMPLETE' ? 0 : tests + laterSuites.tests };
}

/** The live counters of each spec file, by `getFileAttribute`. */
async function readFileProgress({ table }: WithTable, key: RunKey): Promise<Map<string, FileProgress>> {
  const rows = await table.queryAll(progressRows, getProgressSpan(key));
  const newestEntries = new Map<string, string>();
  // If machines announced suites of different sizes, several rows may contain the same spec file. The newest entry
  // counts.
  for (const [name, text] of rows.flatMap(({ files }) => Object.entries(files)))
    if (text > (newestEntries.get(name) ?? '')) newestEntries.set(name, text);
  return new Map([...newestEntries].map(([name, text]) => [name, decodeProgress(text)]));
}

/** The rows of open instances are not updated after each test. */
export async function applyLiveCounters(
  services: WithTable,
  run: RunKey,
  instances: readonly Instance[],
): Promise<readonly Instance[]> {
  if (instances.every(isComplete)) return instances;
  const files = await readFileProgress(services, run);
  return instances.map((instance) => {
    const live = isComplete(instance) ? undefined : files.get(getFileAttribute(instance));
    if (!live || live.epoch !== instance.epoch || live.version < instance.version) return instance;
    const { counters, known, version } = live;
    return { ...instance, counters, known, version };
  });
}
