/** §3 The first failed test turns its run FAILING. As many as the project or the reporter allows cancel it. */
import { countersOf, instances } from '../resources/instance.ts';
import { membersSpan, type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { endRun } from './end-run.ts';
import { mayPass, TRANSITIONS } from './states.ts';

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

/** After the failure was counted. */
export async function noteFailedTest(services: Services, key: RunKey): Promise<void> {
  const { table } = services;
  const [{ status }] = TRANSITIONS.fail.to;
  const outcome = await table.update(runs, key, { set: [['status', status]] }, mayPass('fail'));
  const run = outcome.done ? outcome.item : outcome.existing;
  if (run?.cancelAfterFailures === undefined) return;
  if ((await failuresOf(services, run)) < run.cancelAfterFailures) return;
  await endRun(services, run, { ending: 'cancel', cancellation: { ...FAIL_FAST, canceledAt: services.now() } });
}

/** Nobody: the run itself. */
const FAIL_FAST = { actor: 'rundown', reason: 'failFast' };

/** §2.1 A skipped test could not run, because another one failed: it does not count by itself. */
async function failuresOf({ table }: Services, run: Run): Promise<number> {
  const all = await table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true });
  return all.reduce((total, instance) => total + countersOf(instance).failures, 0);
}
