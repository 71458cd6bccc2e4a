/** Does the work on the read model that is due. */
import { type Sweep, sweep } from '#shared/engine/table/sweep.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import { leafOf, markCorrected, pendingRuns, pendingSpan } from '#shared/model/analytics-pending.ts';
import { type DueAnalytics, dueAnalytics } from '#shared/model/due.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Run, runs } from '#shared/model/run.ts';
import type { CoreServices } from '#shared/services.ts';
import { compileRun } from './compile-run.ts';
import { Gate } from './gate.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { mergeLeaf, mergeLevel } from './merge-spans.ts';
import type { AnalyticsScope } from './read-model.ts';
import { removeGarbage } from './write-span.ts';

interface Time {
  readonly remainingMilliseconds: () => number;
  readonly onFailure?: (error: unknown) => void;
}

export function sweepAnalytics(services: CoreServices, time: Time): Promise<Sweep> {
  const oneOfFew = new Gate(ANALYTICS_LIMITS.jobsAtOnce);
  const handle = async (due: DueAnalytics) => {
    await oneOfFew.pass(() => work(services, due));
    await services.table.writeMany([remove(dueAnalytics, due)]);
  };
  return sweep(services, time, dueAnalytics, { dueAt: ({ dueAt }) => dueAt, handle });
}

async function work(services: CoreServices, due: DueAnalytics): Promise<void> {
  const { organizationId, projectId } = due;
  const scope = { organizationId, projectId };
  if (due.work.kind === 'compile') await compile(services, scope, due.work);
  else if (due.work.kind === 'recheck') await recheck(services, organizationId, due.work);
  else if (due.work.kind === 'garbage') await removeGarbage(services, due);
  else if (due.work.level === 0) await mergeLeaf(services, scope, due.work.start);
  else await mergeLevel(services, scope, due.work);
}

type CompiledRun = Pick<Run, 'runId' | 'createdAt'>;

async function compile(services: CoreServices, scope: AnalyticsScope, of: CompiledRun): Promise<void> {
  const { table, now } = services;
  const { runId, createdAt } = of;
  const ended = await compileRun(services, { ...scope, runId, createdAt });
  const start = leafOf(createdAt);
  const rows = await table.queryAll(pendingRuns, pendingSpan(scope, start, start), { consistent: true });
  const isUrgent = rows.some((row) => row.corrects) || rows.length >= ANALYTICS_LIMITS.pendingRuns;
  const dueAt = isUrgent ? nextOf(now(), ANALYTICS_LIMITS.mergeEveryMilliseconds) : afterEnd(start, now());
  // Tests of a cancelled or timed-out run may still report.
  const pauses = ended && ended.completionState !== 'COMPLETE' ? ANALYTICS_LIMITS.recheckMilliseconds : [];
  await table.writeMany([
    put(dueAnalytics, { ...scope, dueAt, work: { kind: 'merge', level: 0, start } }),
    ...pauses.map((pause, index) =>
      put(dueAnalytics, { ...scope, dueAt: now() + pause, work: { kind: 'recheck', runId, check: index + 1 } }),
    ),
  ]);
}

/** Runs of one leaf share the row that makes their merge due. */
const nextOf = (now: number, every: number): number => Math.ceil((now + 1) / every) * every;

const afterEnd = (leaf: number, now: number): number =>
  Math.max((leaf + 1) * MODEL_LIMITS.leafMilliseconds, nextOf(now, ANALYTICS_LIMITS.mergeAfterEndMilliseconds));

interface Check {
  readonly runId: string;
  readonly check: number;
}

/** Nobody is told of each late result of a run that did not complete. */
async function recheck({ table, now }: CoreServices, organizationId: string, { runId, check }: Check): Promise<void> {
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (run?.endedAt) await table.writeMany(markCorrected(run, now(), check));
}
