/**
 * §3 The first failed test changes its run to FAILING. The run is cancelled at the limit of the project or the
 * reporter.
 */

import type { Rows } from '#shared/engine/table/table.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { type Failure, failures, markedOfRun } from '#shared/model/tests/failures.ts';
import type { Services } from '#shared/services.ts';
import { endRun } from './end-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { mayPass, TRANSITIONS } from './states.ts';

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

/**
 * Notes a failed test in its run. Call this after the failure is written. Returns the run before a possible
 * cancellation, or `undefined` if it does not exist.
 */
export async function noteFailedTest(services: Services, key: RunKey): Promise<Run | undefined> {
  const run = await startFailing(services, key);
  if (run?.cancelAfterFailures === undefined || !isUnderWay(run)) return run;
  if (!(await hasTooManyFailures(services, run, run.cancelAfterFailures))) return run;
  await endRun(services, run, { ending: 'cancel', cancellation: { ...FAIL_FAST, canceledAt: services.now() } });
  return run;
}

/** Reads first: the row is hot, and DynamoDB charges a refused write like any other. */
async function startFailing({ table }: Services, key: RunKey): Promise<Run | undefined> {
  const run = await table.get(runs, key, { consistent: true });
  const [{ status: before }] = TRANSITIONS.fail.from;
  if (!run || run.status !== before) return run;
  const [{ status }] = TRANSITIONS.fail.to;
  const outcome = await table.update(runs, key, { set: [['status', status]] }, mayPass('fail'));
  return outcome.done ? outcome.item : outcome.existing;
}

/** The limit of failed tests cancelled the run, not a person. */
const FAIL_FAST = { actor: 'rundown', reason: 'failFast' };

/**
 * §2.1 Whether the failed tests reach the limit. Skipped tests do not count: they could not run because another test
 * failed. Each failure is written before it is counted, so the last writer sees all of them.
 */
async function hasTooManyFailures({ table }: Services, run: Run, allowed: number): Promise<boolean> {
  const span = markedOfRun(run, 'f');
  let found = 0;
  let from: string | undefined = span.from;
  while (from !== undefined && found < allowed) {
    const limit = Math.min(allowed, LIFECYCLE_LIMITS.failuresPerRead);
    const page: Rows<Failure> = await table.query(failures, { ...span, from }, { consistent: true, limit });
    found += page.rows.length;
    from = page.lastRead === undefined ? undefined : `${page.lastRead}\u0000`;
  }
  return found >= allowed;
}
