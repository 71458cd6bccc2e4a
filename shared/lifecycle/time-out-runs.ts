/**
 * §3 Runs that nobody reports to any more time out. Each run that goes on has a row in an index by the time at which it may
 * have; what was reported since moves the row on, at that time and not before, so that no report costs a write for it.
 */
import { mapConcurrently } from '../concurrently.ts';
import { type DueRun, dueRuns } from '../resources/due.ts';
import { testRows } from '../resources/evidence.ts';
import { groups } from '../resources/group.ts';
import { type Instance, instances, isComplete } from '../resources/instance.ts';
import { membersSpan, type Run, runs } from '../resources/run.ts';
import { testRecordsSpan } from '../resources/test-record.ts';
import type { Services } from '../services.ts';
import { type Sweep, sweep } from '../sweep.ts';
import { put, remove, update } from '../table/writes.ts';
import { finishRun } from './complete-run.ts';
import { endRun } from './end-run.ts';
import { isUnderWay, UNDER_WAY } from './states.ts';

interface Time {
  readonly remainingMilliseconds: () => number;
}

export interface TimedOut extends Sweep {
  readonly timedOut: number;
}

export async function timeOutRuns(services: Services, time: Time): Promise<TimedOut> {
  let timedOut = 0;
  const handle = async (due: DueRun) => {
    if (await timeOut(services, due)) timedOut += 1;
  };
  const swept = await sweep(services, time, dueRuns, { dueAt: (due) => due.dueAt, handle });
  return { ...swept, timedOut };
}

/** True when the run timed out by this call. */
async function timeOut(services: Services, due: DueRun): Promise<boolean> {
  const { table, now } = services;
  const run = await table.get(runs, due, { consistent: true });
  if (!run || !isUnderWay(run) || run.dueAt !== due.dueAt) {
    await table.writeMany([remove(dueRuns, due)]);
    return false;
  }
  // Somebody may have died between the last result and the end.
  if (await finishRun(services, run)) return false;
  const dueAt = (await lastReport(services, run)) + run.inactivityTimeoutSeconds * 1000;
  if (dueAt > now()) {
    await postpone(services, run, dueAt);
    return false;
  }
  const ended = await endRun(services, run, {
    ending: 'timeOut',
    when: (latest) => (latest.dueAt === due.dueAt ? { path: 'dueAt', equals: due.dueAt } : undefined),
  });
  return ended !== undefined;
}

/** Where the run ended or was moved meanwhile, whoever did that took its row away. */
async function postpone({ table }: Services, run: Run, dueAt: number): Promise<void> {
  await table.transact([
    update(runs, run, { set: [['dueAt', dueAt]] }, { all: [UNDER_WAY, { path: 'dueAt', equals: run.dueAt }] }),
    remove(dueRuns, run),
    put(dueRuns, { organizationId: run.organizationId, runId: run.runId, dueAt }),
  ]);
}

/** Milliseconds. What is known of spec files and machines is asked first; tests under way only where that is too old. */
async function lastReport({ table, now }: Services, run: Run): Promise<number> {
  const [members, all] = await Promise.all([
    table.queryAll(groups, membersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  const joined = members.flatMap(({ joins }) => Object.values(joins));
  const heard = all.flatMap(({ claims, heardAt }) => [...claims.map(({ at }) => at), heardAt ?? 0]);
  const latest = newest([run.createdAt, run.resetAt ?? 0, ...joined, ...heard]);
  if (latest + run.inactivityTimeoutSeconds * 1000 > now()) return latest;
  const open = all.filter((instance) => instance.claims.length > 0 && !isComplete(instance));
  return newest([latest, ...(await mapConcurrently(open, (instance) => lastMessage(table, instance)))]);
}

async function lastMessage(table: Services['table'], instance: Instance): Promise<number> {
  const rows = await table.queryAll(testRows, testRecordsSpan(instance), { consistent: true });
  return newest(rows.map((row) => (row.kind === 'record' ? (row.record.heardAt ?? 0) : 0)));
}

const newest = (times: readonly number[]): number => times.reduce((latest, time) => Math.max(latest, time), 0);
