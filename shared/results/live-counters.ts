/**
 * Counters of a run in progress. They are exact for complete spec files, but may lag behind for spec files that are
 * still running.
 */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import {
  decodeProgress,
  type FileProgress,
  getFileAttribute,
  getProgressSpan,
  progressRows,
} from '#shared/model/runs/progress.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type Instance, isComplete } from '#shared/model/tests/instance.ts';
import { type Counters, sumCounters } from '#shared/model/tests/outcomes.ts';

export interface RunProgress extends Pick<Run, 'projectId' | 'status' | 'completionState'> {
  readonly specFiles: { readonly total: number; readonly complete: number };
  /** `tests` counts expected tests. The other counters count reported ones. */
  readonly tests: Counters & { readonly tests: number };
}

/**
 * Reads the progress of a run, for pages that poll it. The cost does not depend on the number of tests, and depends
 * only slightly on the number of spec files.
 */
export async function readProgress(services: WithTable, key: RunKey): Promise<RunProgress> {
  const [found, files] = await Promise.all([services.table.get(runs, key), progressOf(services, key)]);
  return progressFrom(found ?? refuse(notFound('Run')), files);
}

/** Reads the progress of a run whose row was already read. */
export const progressOfRead = async (services: WithTable, run: Run): Promise<RunProgress> =>
  progressFrom(run, await progressOf(services, run));

function progressFrom(run: Run, files: ReadonlyMap<string, FileProgress>): RunProgress {
  const { projectId, status, completionState, instancesExpected, testsExpected } = run;
  const all = [...files.values()];
  const counters = sumCounters(all.map((file) => file.counters));
  return {
    projectId,
    status,
    completionState,
    specFiles: {
      total: Math.max(instancesExpected, all.length),
      complete: all.filter((file) => file.isComplete).length,
    },
    tests: { ...counters, tests: Math.max(testsExpected, counters.overall) },
  };
}

/** The live counters of each spec file, by its `fileName`. */
async function progressOf({ table }: WithTable, key: RunKey): Promise<Map<string, FileProgress>> {
  const rows = await table.queryAll(progressRows, getProgressSpan(key));
  const newest = new Map<string, string>();
  // If machines announced suites of different sizes, several rows may contain the same spec file. The newest entry
  // counts.
  for (const [name, text] of rows.flatMap(({ files }) => Object.entries(files)))
    if (text > (newest.get(name) ?? '')) newest.set(name, text);
  return new Map([...newest].map(([name, text]) => [name, decodeProgress(text)]));
}

/**
 * Replaces the counters of instances that are still open with their live counters. The rows of open instances are not
 * updated after each test.
 */
export async function withLiveCounters(
  services: WithTable,
  run: RunKey,
  instances: readonly Instance[],
): Promise<readonly Instance[]> {
  if (instances.every(isComplete)) return instances;
  const files = await progressOf(services, run);
  return instances.map((instance) => {
    const live = isComplete(instance) ? undefined : files.get(getFileAttribute(instance));
    if (!live || live.epoch !== instance.epoch || live.version < instance.version) return instance;
    const { counters, known, version } = live;
    return { ...instance, counters, known, version };
  });
}
