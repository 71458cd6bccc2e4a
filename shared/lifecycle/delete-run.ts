/**
 * §4.4.3 Deletes a run with its rows, files, timers and history. First, one transaction hides the run from readers and
 * writes the audit record, which therefore exists even if the deletion is interrupted later. The request then deletes
 * as much as its time allows. A minute later, when no earlier request can still write to the run, a second pass deletes
 * the rest.
 */

import type * as z from 'zod';
import { type Actor, formatActorName } from '#shared/access/actor.ts';
import { processDueRows, type Sweep, type Time } from '#shared/engine/table/sweep.ts';
import {
  ABSENT,
  check,
  getRowKey,
  put,
  remove,
  removeKey,
  removeWhen,
  type Write,
} from '#shared/engine/table/writes.ts';
import { buildOutboxPuts } from '#shared/events/outbox-puts.ts';
import { makeRunDeleted } from '#shared/events/run-events.ts';
import { removeInstanceData } from '#shared/ingest/remove-instance.ts';
import { markGone } from '#shared/model/analytics/pending.ts';
import { type DueDeletion, dueDeletions } from '#shared/model/due.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { instances } from '#shared/model/results/instance.ts';
import { listPointers, listRunSpans } from '#shared/model/runs/rows-of-run.ts';
import { deletions, getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { markStopped } from '#shared/model/runs/stopped-run.ts';
import { change } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import { finishFileDeletion } from './delete-artifacts.ts';
import type { DeletedRun } from './delete-wire.ts';
import { findRun } from './find-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { runRecord } from './run-record.ts';

export async function deleteRun(
  services: Services,
  { actor, ...key }: RunKey & { readonly actor: Actor },
): Promise<z.infer<typeof DeletedRun>> {
  const until = services.now() + LIFECYCLE_LIMITS.deletionMilliseconds;
  await hideRun(services, actor, key);
  const time = { remainingMilliseconds: () => until - services.now() };
  // The second pass finds through the records what tests in progress may still write.
  await removeTests(services, key, time, { keep: ['record'] });
  return { runId: key.runId, actor: formatActorName(actor) };
}

/** Also writes the audit record, in the same transaction. Of two concurrent deletions, the second gets 404. */
function hideRun(services: Services, actor: Actor, key: RunKey): Promise<void> {
  const { table, now } = services;
  return change(services, { actor, action: 'runs:write' }, async () => {
    const run = await findRun(services, key);
    const project = await table.get(projects, run);
    const deletedAt = now();
    return {
      result: undefined,
      writes: [
        ...makeHidingWrites(run, deletedAt),
        ...buildOutboxPuts(services, [makeRunDeleted(run, deletedAt)]),
        ...(isUnderWay(run) ? [] : markGone(run, deletedAt)),
      ],
      record: runRecord('run deleted', run, { project }),
    };
  });
}

/** The sweep of deletions later removes the rows and files. */
export const makeHidingWrites = (run: Run, deletedAt: number): Write[] => [
  // If the run ends in the meantime, it may get a row in the index of complete runs. In that case, this condition
  // fails, and the next attempt also removes that row.
  removeWhen(runs, run, { path: 'completionState', equals: run.completionState }),
  ...listPointers(run).map(removeKey),
  putDeletionMark(run, deletedAt),
  ...markStopped(run, getDeletionEnd(deletedAt)),
  put(dueDeletions, {
    organizationId: run.organizationId,
    runId: run.runId,
    dueAt: deletedAt + MODEL_LIMITS.deletionPauseMilliseconds,
  }),
];

const putDeletionMark = ({ organizationId, runId }: RunKey, deletedAt: number) =>
  put(deletions, {
    organizationId,
    runId,
    deletedAt,
    expiresAt: getDeletionEnd(deletedAt),
  });

/** In epoch seconds. */
const getDeletionEnd = (deletedAt: number): number =>
  Math.ceil((deletedAt + LIFECYCLE_LIMITS.deletedBuildMilliseconds) / 1000);

/** Keeps the run deleted while the deletion is retried. Returns false if the mark expired and the build created a new run. */
async function renewDeletionMark({ table, now }: Services, key: RunKey): Promise<boolean> {
  if (await table.transact([check(runs, key, ABSENT), putDeletionMark(key, now())])) return true;
  if (await table.get(runs, key, { consistent: true })) return false;
  throw new Error(
    `The deletion of run ${key.runId} conflicted with another change. The next sweep will continue the deletion`,
  );
}

/** Removes the data of all tests of the run. Returns false if the time runs out. */
async function removeTests(
  services: Services,
  key: RunKey,
  time: Time,
  options: { readonly keep?: readonly ['record'] } = {},
): Promise<boolean> {
  const storedInstances = await services.table.queryAll(instances, getRunMembersSpan(key, 'INSTANCE'), {
    consistent: true,
    ended: true,
  });
  for (const instance of storedInstances) {
    if (time.remainingMilliseconds() < LIFECYCLE_LIMITS.deletionMarginMilliseconds) return false;
    await removeInstanceData(services, instance, options);
  }
  return true;
}

/** Comes last, because the rows of instances lead to the data of tests. The mark of the deletion stays. */
async function removeRows({ table }: Services, key: RunKey): Promise<void> {
  const mark = deletions.key(key);
  for (const span of listRunSpans(key)) {
    const rows = await table.queryAll({ load: getRowKey }, span, { consistent: true, ended: true });
    const rowsToRemove = rows.filter(({ pk, sk }) => pk !== mark.pk || sk !== mark.sk);
    await table.writeMany(rowsToRemove.map(removeKey));
  }
}

/** Completes the deletion of a run. Returns false if the time runs out. */
async function finishRunDeletion(services: Services, due: DueDeletion, time: Time): Promise<boolean> {
  if (!(await renewDeletionMark(services, due))) return true;
  if (!(await removeTests(services, due, time))) return false;
  await removeRows(services, due);
  return true;
}

export function finishDeletions(services: Services, time: Time): Promise<Sweep> {
  const handle = async (due: DueDeletion) => {
    const finish = due.of === 'files' ? finishFileDeletion : finishRunDeletion;
    const isDone = await finish(services, due, time);
    if (isDone) await services.table.writeMany([remove(dueDeletions, due)]);
  };
  return processDueRows(services, time, dueDeletions, handle);
}
