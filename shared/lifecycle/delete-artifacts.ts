/**
 * §5.2 Deletes the files of a run and keeps its results. First, one transaction ends the retention of the files and
 * writes the audit record. From then on, new files of the run are dropped. The request then deletes as many files as
 * its time allows. A minute later, when no earlier request can still announce a file, a second pass deletes the rest.
 */

import type * as z from 'zod';
import { type Actor, formatActorName } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Time } from '#shared/engine/table/sweep.ts';
import { put, remove, update } from '#shared/engine/table/writes.ts';
import { type DueDeletion, dueDeletions } from '#shared/model/due.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { instances } from '#shared/model/results/instance.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { expireFiles, haveEnded } from '#shared/model/runs/expiry.ts';
import { getRunMembersSpan, runs } from '#shared/model/runs/run.ts';
import { change } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import type { DeletedRun } from './delete-wire.ts';
import { findRun } from './find-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { removeFiles } from './remove-expired-files.ts';
import { runRecord } from './run-record.ts';

export async function deleteArtifacts(
  services: Services,
  { actor, ...key }: RunKey & { readonly actor: Actor },
): Promise<z.infer<typeof DeletedRun>> {
  const until = services.now() + LIFECYCLE_LIMITS.deletionMilliseconds;
  await endRetention(services, actor, key);
  await removeAllFiles(services, key, { remainingMilliseconds: () => until - services.now() });
  return { runId: key.runId, actor: formatActorName(actor) };
}

/** Changes nothing if the files have expired or were deleted before. */
function endRetention(services: Services, actor: Actor, key: RunKey): Promise<void> {
  const { table, now } = services;
  return change(services, { actor, action: 'runs:write' }, async () => {
    const run = await findRun(services, key);
    if (haveEnded(run.expiry.files, now())) return { result: undefined };
    const project = await table.get(projects, run);
    const { organizationId, runId } = run;
    const { changes, when } = expireFiles(Math.floor(now() / 1000));
    const dueAt = now() + MODEL_LIMITS.deletionPauseMilliseconds;
    return {
      result: undefined,
      writes: [update(runs, run, changes, when), put(dueDeletions, { organizationId, runId, of: 'files', dueAt })],
      record: runRecord('files of a run deleted', run, { project }),
    };
  });
}

/** Removes the files of all spec files of the run. Returns false if the time runs out. */
async function removeAllFiles(services: Services, key: RunKey, time: Time): Promise<boolean> {
  const { table } = services;
  const all = await table.queryAll(instances, getRunMembersSpan(key, 'INSTANCE'), { consistent: true, ended: true });
  const outcomes = await mapConcurrently(all, async (instance) => {
    if (!(await removeFiles(services, instance, { ...time, isGone: () => true }))) return false;
    await table.writeMany([remove(shownFiles, instance)]);
    return true;
  });
  return outcomes.every((isDone) => isDone);
}

/** Completes a deletion of files. Returns false if the time runs out. A run that was recorded again keeps its files. */
export async function finishFileDeletion(services: Services, due: DueDeletion, time: Time): Promise<boolean> {
  const run = await services.table.get(runs, due, { consistent: true });
  if (!run || !haveEnded(run.expiry.files, services.now())) return true;
  return removeAllFiles(services, due, time);
}
