/** §3 A failed or skipped test makes its run FAILING. At the limit of the project or reporter, the run is cancelled. */

import type { Rows } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { type Failure, failures, getMarkedFailuresSpan } from '#shared/model/results/failures.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { endRun } from './end-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { requireTransition, TRANSITIONS } from './states.ts';

/** Call this after the result is stored. Returns the run, if it exists, as it was before a possible cancellation. */
export async function noteFailedTest(services: Services, key: RunKey): Promise<Run | undefined> {
  const run = await markRunAsFailing(services, key);
  if (run?.cancelAfterFailures === undefined || !isUnderWay(run)) return run;
  if (!(await hasTooManyFailures(services, run, run.cancelAfterFailures))) return run;
  const cancellation = { actor: 'rundown', reason: 'failFast', canceledAt: services.now() };
  await endRun(services, run, { ending: 'cancel', cancellation });
  return run;
}

/** Reads the run first, because DynamoDB also charges for writes whose condition fails. */
async function markRunAsFailing({ table }: Services, key: RunKey): Promise<Run | undefined> {
  const run = await table.get(runs, key, { consistent: true });
  const [{ status: before }] = TRANSITIONS.fail.from;
  if (!run || run.status !== before) return run;
  const [{ status }] = TRANSITIONS.fail.to;
  return (await table.update(runs, key, { set: [['status', status]] }, requireTransition('fail'))).item;
}

/**
 * §2.1 Skipped tests do not count, because they did not run: a hook or another test had already failed. Each request
 * stores its failure before it counts the failures, so the last request sees all of them.
 */
async function hasTooManyFailures({ table }: Services, run: Run, maximumFailures: number): Promise<boolean> {
  const span = getMarkedFailuresSpan(run, 'f');
  let failureCount = 0;
  let from: string | undefined = span.from;
  while (from !== undefined && failureCount < maximumFailures) {
    const limit = Math.min(maximumFailures, LIFECYCLE_LIMITS.failuresPerRead);
    const page: Rows<Failure> = await table.query(failures, { ...span, from }, { consistent: true, limit });
    failureCount += page.rows.length;
    from = page.lastRead === undefined ? undefined : `${page.lastRead}\u0000`;
  }
  return failureCount >= maximumFailures;
}
