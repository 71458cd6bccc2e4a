/**
 * §3 The first failed or skipped test changes the status of its run to FAILING. When the number of failed tests reaches
 * the limit that the project or the reporter set, the run is cancelled.
 */

import type { Rows } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { type Failure, failures, getMarkedFailuresSpan } from '#shared/model/tests/failures.ts';
import type { Services } from '#shared/services.ts';
import { endRun } from './end-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { mayPass, TRANSITIONS } from './states.ts';

/**
 * Updates the run after a test failed or was skipped. Call this after the result is stored. Returns the run as it was
 * before a possible cancellation, or `undefined` if it does not exist.
 */
export async function noteFailedTest(services: Services, key: RunKey): Promise<Run | undefined> {
  const run = await startFailing(services, key);
  if (run?.cancelAfterFailures === undefined || !isUnderWay(run)) return run;
  if (!(await hasTooManyFailures(services, run, run.cancelAfterFailures))) return run;
  const cancellation = { actor: 'rundown', reason: 'failFast', canceledAt: services.now() };
  await endRun(services, run, { ending: 'cancel', cancellation });
  return run;
}

/**
 * Sets the status to FAILING. Reads the run first to avoid unnecessary writes, because DynamoDB also charges for writes
 * whose condition fails.
 */
async function startFailing({ table }: Services, key: RunKey): Promise<Run | undefined> {
  const run = await table.get(runs, key, { consistent: true });
  const [{ status: before }] = TRANSITIONS.fail.from;
  if (!run || run.status !== before) return run;
  const [{ status }] = TRANSITIONS.fail.to;
  return (await table.update(runs, key, { set: [['status', status]] }, mayPass('fail'))).item;
}

/**
 * §2.1 Whether the number of failed tests reaches the limit. Skipped tests do not count, because they did not run: a
 * hook or another test had already failed. Each request stores its failure before it counts the failures, so the last
 * request sees all failures.
 */
async function hasTooManyFailures({ table }: Services, run: Run, allowed: number): Promise<boolean> {
  const span = getMarkedFailuresSpan(run, 'f');
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
