/** Sweeper of the read model: does the work that is due. */
import { type Sweep, sweep } from '#shared/engine/table/sweep.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import { compileAt, leafOf, markCorrected, pendingRuns, pendingSpan } from '#shared/model/analytics/pending.ts';
import { type DueAnalytics, dueAnalytics } from '#shared/model/due.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Instance } from '#shared/model/tests/instance.ts';
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

export interface SweptAnalytics extends Sweep {
  /** Spec files whose damaged results were left out. */
  readonly incomplete: number;
}

export async function sweepAnalytics(services: CoreServices, time: Time): Promise<SweptAnalytics> {
  const oneOfFew = new Gate(ANALYTICS_LIMITS.jobsAtOnce);
  let incomplete = 0;
  const note = ({ runId, instanceId }: Instance) => {
    incomplete += 1;
    time.onFailure?.(new Error(`The stored results of the instance ${instanceId} of run ${runId} are damaged`));
  };
  const handle = async (due: DueAnalytics) => {
    await oneOfFew.pass(() => work(services, due, note));
    await services.table.writeMany([remove(dueAnalytics, due)]);
  };
  const swept = await sweep(services, time, dueAnalytics, { dueAt: ({ dueAt }) => dueAt, handle });
  return { ...swept, incomplete };
}

async function work(services: CoreServices, due: DueAnalytics, note: (instance: Instance) => void): Promise<void> {
  const { organizationId, projectId } = due;
  const scope = { organizationId, projectId };
  if (due.work.kind === 'compile') (await compile(services, scope, due.work)).forEach(note);
  else if (due.work.kind === 'recheck') await recheck(services, organizationId, due.work);
  else if (due.work.kind === 'garbage') await removeGarbage(services, due);
  else if (due.work.level === 0) await mergeLeaf(services, scope, due.work.start);
  else await mergeLevel(services, scope, due.work);
}

interface EndedRun extends AnalyticsScope {
  readonly runId: string;
  readonly runCreatedAt: number;
  /** When the run ended, in epoch milliseconds. */
  readonly occurredAt: number;
}

/**
 * Compiles a run as soon as the event of its end arrives. Idempotent. If it fails, the work stays due for the next
 * sweep.
 */
export async function compileEndedRun(services: CoreServices, ended: EndedRun): Promise<readonly Instance[]> {
  const { organizationId, projectId, runId, runCreatedAt: createdAt, occurredAt } = ended;
  const due = compileAt({ organizationId, projectId, runId, createdAt }, occurredAt);
  if (!(await services.table.get(dueAnalytics, due, { consistent: true }))) return [];
  const unreadable = await compile(services, { organizationId, projectId }, { runId, createdAt });
  await services.table.writeMany([remove(dueAnalytics, due)]);
  return unreadable;
}

type RunToCompile = Pick<Run, 'runId' | 'createdAt'>;

/** Returns the spec files whose stored results are damaged. */
async function compile(services: CoreServices, scope: AnalyticsScope, of: RunToCompile): Promise<readonly Instance[]> {
  const { table, now } = services;
  const { runId, createdAt } = of;
  const { ended, unreadable } = await compileRun(services, { ...scope, runId, createdAt });
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
  return unreadable;
}

/** The time of the next merge. Rounded up, so that the runs of a leaf share the row that makes their merge due. */
const nextOf = (now: number, every: number): number => Math.ceil((now + 1) / every) * every;

const afterEnd = (leaf: number, now: number): number =>
  Math.max((leaf + 1) * MODEL_LIMITS.leafMilliseconds, nextOf(now, ANALYTICS_LIMITS.mergeAfterEndMilliseconds));

interface Check {
  readonly runId: string;
  readonly check: number;
}

/** Marks a run that did not complete as corrected, because its late results do not all mark it. */
async function recheck({ table, now }: CoreServices, organizationId: string, { runId, check }: Check): Promise<void> {
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (run?.endedAt) await table.writeMany(markCorrected(run, now(), check));
}
