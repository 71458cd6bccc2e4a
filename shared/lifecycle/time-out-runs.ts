/**
 * §3 Times out inactive runs. An index lists the runs in progress by the earliest time at which they can time out. At
 * that time, the sweep finds out when machines last reported, and moves the entry of the run to a later time if needed.
 * A report from a machine therefore does not have to update the index.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { processDueRows, type Sweep, type Time } from '#shared/engine/table/sweep.ts';
import { put, remove, update } from '#shared/engine/table/writes.ts';
import { type DueRun, dueRuns } from '#shared/model/due.ts';
import { instances, isTouched } from '#shared/model/results/instance.ts';
import { getJoinsSpan, joins } from '#shared/model/runs/join.ts';
import { getRecordingMachinesSpan, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { countLateResults, endRunIfComplete, releaseRun } from './complete-run.ts';
import { endRun } from './end-run.ts';
import { findRun } from './find-run.ts';
import { getLastChangeTime, pickLatestTime, readLastMessageTime } from './last-report.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { reviewInstance } from './review-instance.ts';
import { listOpenInstances, refreshOpenInstances } from './settle-run.ts';
import { UNDER_WAY } from './states.ts';

export interface TimeOutSweep extends Sweep {
  readonly timedOut: number;
}

export async function timeOutRuns(services: Services, time: Time): Promise<TimeOutSweep> {
  let timedOut = 0;
  const handle = async (due: DueRun) => {
    if (await endIfInactive(services, due)) timedOut += 1;
  };
  const sweepResult = await processDueRows(services, time, dueRuns, handle);
  return { ...sweepResult, timedOut };
}

/** Returns true if this call timed the run out. A run that `lingers` is released instead, after a minute of silence. */
async function endIfInactive(services: Services, due: DueRun): Promise<boolean> {
  const { table, now } = services;
  const run = await table.get(runs, due, { consistent: true });
  const isOutdated = run?.dueAt !== due.dueAt;
  if (!run || isOutdated || !isUnderWay(run)) {
    if (run && !isOutdated) await settleEndedRun(services, run);
    await table.writeMany([remove(dueRuns, due)]);
    return false;
  }
  // A function may have been killed after it stored the last result and before it ended the run. An earlier sweep may
  // have been killed after it completed an instance and before it stored the details of the instance.
  const openInstances = await listOpenInstances(services, run, due.dueAt);
  await mapConcurrently(openInstances, (instance) => reviewInstance(services, instance));
  if ((await endRunIfComplete(services, run)) === 'finished') return false;
  const lastReportAt = await readLastReportTime(services, run);
  const lingerEndsAt = lastReportAt + LIFECYCLE_LIMITS.lingerMilliseconds;
  const stillLingers = run.lingers && lingerEndsAt > now();
  if (run.lingers && !stillLingers) {
    await releaseRun(services, run);
    if (!isUnderWay(await findRun(services, run))) return false;
  }
  const nextDueAt = stillLingers ? lingerEndsAt : lastReportAt + run.inactivityTimeoutSeconds * 1000;
  if (nextDueAt > now()) {
    await delayTimeOut(services, run, nextDueAt);
    return false;
  }
  const endedRun = await endRun(services, run, {
    ending: 'timeOut',
    when: (latestRun) => (latestRun.dueAt === due.dueAt ? { path: 'dueAt', equals: due.dueAt } : undefined),
  });
  return endedRun !== undefined;
}

/**
 * Counts the results of requests that read the run before it ended, and of requests that were killed before they counted
 * their results.
 */
async function settleEndedRun(services: Services, run: Run): Promise<void> {
  await refreshOpenInstances(services, run, { hasEnded: true });
  await countLateResults(services, run);
}

/** Does nothing if the run ended or its entry was moved in the meantime: the old entry is then already removed. */
async function delayTimeOut({ table }: Services, run: Run, dueAt: number): Promise<void> {
  await table.transact([
    update(runs, run, { set: [['dueAt', dueAt]] }, { all: [UNDER_WAY, { path: 'dueAt', equals: run.dueAt }] }),
    remove(dueRuns, run),
    put(dueRuns, { organizationId: run.organizationId, runId: run.runId, dueAt }),
  ]);
}

/**
 * The time of the latest report, in epoch milliseconds. The rows of recording machines, and after them the test
 * records, are read only if the latest activity known so far is older than the inactivity timeout. Complete spec files
 * are included, because a machine may still correct a result or run a test that the suite does not name.
 */
async function readLastReportTime({ table, now }: Services, run: Run): Promise<number> {
  const [joinRows, all] = await Promise.all([
    table.queryAll(joins, getJoinsSpan(run), { consistent: true }),
    table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  const lastActivity = pickLatestTime([
    run.createdAt,
    run.resetAt ?? 0,
    ...joinRows.map(({ at }) => at),
    ...all.map(getLastChangeTime),
  ]);
  const isActive = (at: number): boolean => at + run.inactivityTimeoutSeconds * 1000 > now();
  if (isActive(lastActivity)) return lastActivity;
  // A batch without results changes no spec file.
  const machines = await table.queryAll(recordingMachines, getRecordingMachinesSpan(run), { consistent: true });
  const lastBatch = pickLatestTime(machines.map(({ at }) => at));
  if (isActive(lastBatch)) return lastBatch;
  const touchedInstances = all.filter(isTouched);
  return pickLatestTime([
    lastActivity,
    ...(await mapConcurrently(touchedInstances, (instance) => readLastMessageTime(table, instance))),
  ]);
}
