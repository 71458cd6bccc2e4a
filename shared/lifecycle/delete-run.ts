/**
 * §4.4.3 Deletes a run with its rows, files, timers and history. First, one transaction hides the run from readers and
 * writes the audit record, which therefore exists even if the deletion is interrupted later. The request then deletes
 * as much as its time allows. A minute later, when no earlier request can still write to the run, a second pass deletes
 * the rest.
 */

import type * as z from 'zod';
import { type Actor, actorName } from '#shared/access/actor.ts';
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
import { listPointers, listRunSpans } from '#shared/model/runs/rows-of-run.ts';
import { deletions, getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { instances } from '#shared/model/tests/instance.ts';
import { change } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import { finishArtifacts } from './delete-artifacts.ts';
import type { DeletedRun } from './delete-wire.ts';
import { findRun } from './find-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { runRecord } from './run-record.ts';

export async function deleteRun(
  services: Services,
  { actor, ...key }: RunKey & { readonly actor: Actor },
): Promise<z.infer<typeof DeletedRun>> {
  const until = services.now() + LIFECYCLE_LIMITS.deletionMilliseconds;
  await takeAway(services, actor, key);
  await removeTests(services, key, { remainingMilliseconds: () => until - services.now(), keep: ['record'] });
  return { runId: key.runId, actor: actorName(actor) };
}

/**
 * Hides the run from readers and writes the audit record, in one transaction. Of two concurrent deletions, the second
 * gets 404.
 */
function takeAway(services: Services, actor: Actor, key: RunKey): Promise<void> {
  const { table, now } = services;
  return change(services, { actor, action: 'runs:write' }, async () => {
    const run = await findRun(services, key);
    const project = await table.get(projects, run);
    const deletedAt = now();
    return {
      result: undefined,
      writes: [
        ...hiding(run, deletedAt),
        ...buildOutboxPuts([makeRunDeleted(run, deletedAt)]),
        ...(isUnderWay(run) ? [] : markGone(run, deletedAt)),
      ],
      record: runRecord('run deleted', run, { project }),
    };
  });
}

/** The writes that hide a run from readers. The sweep then removes its rows and files. */
export const hiding = (run: Run, deletedAt: number): Write[] => [
  // If the run ends in the meantime, it may get a row in the index of complete runs. In that case, this condition
  // fails, and the next attempt also removes that row.
  removeWhen(runs, run, { path: 'completionState', equals: run.completionState }),
  ...listPointers(run).map(removeKey),
  mark(run, deletedAt),
  put(dueDeletions, {
    organizationId: run.organizationId,
    runId: run.runId,
    dueAt: deletedAt + MODEL_LIMITS.deletionPauseMilliseconds,
  }),
];

const mark = ({ organizationId, runId }: RunKey, deletedAt: number) =>
  put(deletions, {
    organizationId,
    runId,
    deletedAt,
    expiresAt: Math.ceil((deletedAt + LIFECYCLE_LIMITS.deletedBuildMilliseconds) / 1000),
  });

/**
 * Renews the marker that keeps the build from creating the run again, so that the marker does not expire while the
 * deletion is being retried. Returns false if the marker had expired and the build has created a new run.
 */
async function isStillDeleted({ table, now }: Services, key: RunKey): Promise<boolean> {
  if (await table.transact([check(runs, key, ABSENT), mark(key, now())])) return true;
  if (await table.get(runs, key, { consistent: true })) return false;
  throw new Error(
    `The deletion of run ${key.runId} conflicted with another change. The next sweep will continue the deletion`,
  );
}

/** Removes the data of all tests of the run. Returns false if the time runs out. */
async function removeTests(
  services: Services,
  key: RunKey,
  time: Time & { readonly keep?: readonly ['record'] },
): Promise<boolean> {
  const all = await services.table.queryAll(instances, getRunMembersSpan(key, 'INSTANCE'), {
    consistent: true,
    ended: true,
  });
  for (const instance of all) {
    if (time.remainingMilliseconds() < LIFECYCLE_LIMITS.deletionMarginMilliseconds) return false;
    await removeInstanceData(services, instance, time);
  }
  return true;
}

/**
 * Removes the rows of the run. This step comes last, because the data of tests is found through the rows of instances.
 * The marker of the deletion stays.
 */
async function removeRows({ table }: Services, key: RunKey): Promise<void> {
  const mark = deletions.key(key);
  for (const span of listRunSpans(key)) {
    const rows = await table.queryAll({ load: getRowKey }, span, { consistent: true, ended: true });
    const gone = rows.filter(({ pk, sk }) => pk !== mark.pk || sk !== mark.sk);
    await table.writeMany(gone.map(removeKey));
  }
}

/** Completes the deletion of a run. Returns false if the time runs out. */
async function finishRun(services: Services, due: DueDeletion, time: Time): Promise<boolean> {
  if (!(await isStillDeleted(services, due))) return true;
  if (!(await removeTests(services, due, time))) return false;
  await removeRows(services, due);
  return true;
}

/** Completes the deletions that are due. */
export function finishDeletions(services: Services, time: Time): Promise<Sweep> {
  const handle = async (due: DueDeletion) => {
    const isDone = due.of === 'files' ? finishArtifacts(services, due, time) : finishRun(services, due, time);
    if (!(await isDone)) return;
    await services.table.writeMany([remove(dueDeletions, due)]);
  };
  return processDueRows(services, time, dueDeletions, handle);
}
