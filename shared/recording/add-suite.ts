/** Adds a suite to a run, which it creates if needed. If all machines send the same suite, only one stores it. */
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { createRun, type NewRun } from '#shared/lifecycle/create-run.ts';
import { ensureGroups } from '#shared/lifecycle/start-groups.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { getSuiteRow, isInRow, type SuiteRow, storedSuites } from '#shared/model/runs/stored-suites.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { storeOnce } from './store-once.ts';
import {
  completeSuite,
  hashSuite,
  isCountedSuite,
  makeGroupRows,
  type StoredSuite,
  type SuiteRequest,
  storeSuite,
} from './suite.ts';

/**
 * In a batch upload, only the first request contains a suite. The read may be old, because a suite that is stored again
 * stays the same.
 */
export async function isSuiteMissing({ table }: WithTable, run: Run, request: SuiteRequest): Promise<boolean> {
  if (request.suite.length === 0) return false;
  const digest = hashSuite(completeSuite(request));
  if (run.suites[digest] !== undefined || isCountedSuite(run, digest)) return false;
  const row = await table.get(storedSuites, getSuiteRow(run, digest));
  return row === undefined || !isInRow(row, digest);
}

/**
 * Returns the run and the group as they are then, if they were read or written. `owner` identifies the request across
 * retries, so that a retry does not wait for the lock of an earlier attempt.
 */
export async function addSuite(
  services: Services,
  target: { readonly run: Run } | { readonly beginning: NewRun },
  request: SuiteRequest,
  owner: string,
): Promise<Partial<StoredSuite>> {
  if ('run' in target) return addToRun(services, target.run, request, owner);
  const { beginning } = target;
  if (!request.holds) return startWithSuite(services, beginning, request, owner);
  const run = await startOnce(services, beginning, request, owner);
  if (!(await isSuiteMissing(services, run, request))) return { run };
  return { run, ...(await addToRun(services, run, request, owner)) };
}

/** For machines that do not hold the run. Most of them send the same suite, so the lock of the suite is enough. */
async function startWithSuite(
  services: Services,
  beginning: NewRun,
  request: SuiteRequest,
  owner: string,
): Promise<Partial<StoredSuite>> {
  const { organizationId, runId } = beginning;
  const suite = hashSuite(completeSuite(request));
  const evidence = {
    row: makeLookup(runs, { organizationId, runId }),
    isStored: (run: Run) => isCountedSuite(run, suite),
  };
  let result: Partial<StoredSuite> = {};
  const run = await storeOnce(services, { organizationId, runId, suite, owner }, evidence, async () => {
    const storedRun = await createRun(services, beginning);
    if (await isSuiteMissing(services, storedRun, request)) result = await storeSuite(services, storedRun, request);
  });
  return run ? { run } : result;
}

async function addToRun(
  services: Services,
  run: Run,
  request: SuiteRequest,
  owner: string,
): Promise<Partial<StoredSuite>> {
  const suite = hashSuite(completeSuite(request));
  if (countFiles(completeSuite(request)) <= RECORDING_LIMITS.filesWithoutLock)
    return storeSuite(services, run, request);
  const { organizationId, runId } = run;
  const evidence = {
    row: makeLookup(storedSuites, getSuiteRow(run, suite)),
    isStored: (row: SuiteRow) => isInRow(row, suite),
  };
  let result: Partial<StoredSuite> = {};
  await storeOnce(services, { organizationId, runId, suite, owner }, evidence, async () => {
    result = await storeSuite(services, run, request);
  });
  return result;
}

/** The lock of the machine that creates the run. */
const NEW_RUN = 'run';

/** Creates the run, unless another machine does. Machines that hold a run usually send a suite of their own each. */
async function startOnce(services: Services, beginning: NewRun, request: SuiteRequest, owner: string): Promise<Run> {
  const { organizationId, runId } = beginning;
  const evidence = { row: makeLookup(runs, { organizationId, runId }), isStored: () => true };
  let createdRun: Run | undefined;
  const create = async () => {
    createdRun = await createRun(services, beginning);
    // Otherwise all machines that wait for the run would try to create its groups.
    await ensureGroups(services, createdRun, makeGroupRows(createdRun, completeSuite(request), request));
  };
  const existingRun = await storeOnce(services, { organizationId, runId, suite: NEW_RUN, owner }, evidence, create);
  const run = existingRun ?? createdRun;
  if (!run) throw new Error(`The run ${runId} was not created`);
  return run;
}

const countFiles = (suite: SuiteRequest['suite']): number =>
  suite.reduce((total, { tests }) => total + new Set(tests.map(({ spec }) => spec)).size, 0);
