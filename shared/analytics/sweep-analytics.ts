/**
 * Periodically does the due work of the read model: computes the facts (aggregates) of ended runs, merges summaries and
 * removes old summaries.
 */

import { processDueRows, type Sweep } from '#shared/engine/table/sweep.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import {
  getLeaf,
  getPendingRunsSpan,
  markCorrected,
  pendingRuns,
  scheduleCompilation,
} from '#shared/model/analytics/pending.ts';
import { type DueAnalytics, dueAnalytics, getNextMultiple } from '#shared/model/due.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { CoreServices } from '#shared/services.ts';
import { compileRun } from './compile-run.ts';
import { Gate } from './job-gate.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { mergeLeaf, mergeLevel } from './merge-spans.ts';
import type { AnalyticsScope } from './read-model.ts';
import { removeGarbage } from './write-span.ts';

export interface SweptAnalytics extends Sweep {
  /** Number of spec files that were left out because their stored results are damaged. */
  readonly incomplete: number;
}

export async function sweepAnalytics(
  services: CoreServices,
  time: Parameters<typeof processDueRows>[1],
): Promise<SweptAnalytics> {
  const gate = new Gate(ANALYTICS_LIMITS.jobsAtOnce);
  let incomplete = 0;
  const note = ({ runId, instanceId }: Instance) => {
    incomplete += 1;
    time.onFailure?.(new Error(`The stored results of the instance ${instanceId} of run ${runId} are damaged`));
  };
  const handle = async (due: DueAnalytics) => {
    await gate.pass(() => doDueWork(services, due, note));
    await services.table.writeMany([remove(dueAnalytics, due)]);
  };
  const swept = await processDueRows(services, time, dueAnalytics, handle);
  return { ...swept, incomplete };
}

async function doDueWork(services: CoreServices, due: DueAnalytics, note: (instance: Instance) => void): Promise<void> {
  const { organizationId, projectId } = due;
  const scope = { organizationId, projectId };
  if (due.work.kind === 'compile') (await compileAndScheduleMerge(services, scope, due.work)).forEach(note);
  else if (due.work.kind === 'recheck') await markForRecheck(services, organizationId, due.work);
  else if (due.work.kind === 'garbage') await removeGarbage(services, { ...scope, ...due.work });
  else if (due.work.level === 0) await mergeLeaf(services, scope, due.work.start);
  else await mergeLevel(services, scope, due.work);
}

interface EndedRun extends AnalyticsScope {
  readonly runId: string;
  readonly runCreatedAt: number;
  /** When the run ended, in epoch milliseconds. */
  readonly occurredAt: number;
}

/** Called by the event of the end of a run. Idempotent. If the computation fails, the next sweep repeats it. */
export async function compileEndedRun(services: CoreServices, endedRun: EndedRun): Promise<readonly Instance[]> {
  const { organizationId, projectId, runId, runCreatedAt: createdAt, occurredAt } = endedRun;
  const due = scheduleCompilation({ organizationId, projectId, runId, createdAt }, occurredAt);
  if (!(await services.table.get(dueAnalytics, due, { consistent: true }))) return [];
  const unreadable = await compileAndScheduleMerge(services, { organizationId, projectId }, { runId, createdAt });
  await services.table.writeMany([remove(dueAnalytics, due)]);
  return unreadable;
}

/** Returns the spec files whose stored results are damaged. */
async function compileAndScheduleMerge(
  services: CoreServices,
  scope: AnalyticsScope,
  { runId, createdAt }: Pick<Run, 'runId' | 'createdAt'>,
): Promise<readonly Instance[]> {
  const { table, now } = services;
  const { ended, unreadable } = await compileRun(services, { ...scope, runId, createdAt });
  const start = getLeaf(createdAt);
  const rows = await table.queryAll(pendingRuns, getPendingRunsSpan(scope, start, start), { consistent: true });
  const isUrgent = rows.some((row) => row.corrects) || rows.length >= ANALYTICS_LIMITS.pendingRuns;
  const dueAt = isUrgent
    ? getNextMultiple(now(), ANALYTICS_LIMITS.mergeEveryMilliseconds)
    : Math.max(
        (start + 1) * MODEL_LIMITS.leafMilliseconds,
        getNextMultiple(now(), ANALYTICS_LIMITS.mergeAfterEndMilliseconds),
      );
  // Results of a cancelled or timed-out run may still arrive.
  const pauses = ended && ended.completionState !== 'COMPLETE' ? ANALYTICS_LIMITS.recheckMilliseconds : [];
  await table.writeMany([
    put(dueAnalytics, { ...scope, dueAt, work: { kind: 'merge', level: 0, start } }),
    ...pauses.map((pause, index) =>
      put(dueAnalytics, { ...scope, dueAt: now() + pause, work: { kind: 'recheck', runId, check: index + 1 } }),
    ),
  ]);
  return unreadable;
}

/** Results of the run that arrived late without marking it are then counted, too. */
async function markForRecheck(
  { table, now }: CoreServices,
  organizationId: string,
  { runId, check }: { readonly runId: string; readonly check: number },
): Promise<void> {
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (run?.endedAt) await table.writeMany(markCorrected(run, now(), check));
}
