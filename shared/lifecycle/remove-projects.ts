/**
 * §5.2 Removes deleted projects whose waiting time has ended. The first pass removes the project itself. Every pass
 * then hides some of its runs, which the sweep of deleted runs removes, and removes the other rows of the project.
 * Passes are repeated until one finds nothing left, because requests that began earlier may still write rows.
 */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { processDueRows, type Sweep, type Time } from '#shared/engine/table/sweep.ts';
import { put, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { removeCredential } from '#shared/model/credential.ts';
import { type DueProject, dueProjects } from '#shared/model/due.ts';
import { listNotificationKeys, notifications } from '#shared/model/events/notification.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { ROWS_OF_PROJECT } from '#shared/model/organizations/rows-of-project.ts';
import { getRunsSpan, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { makeHidingWrites } from './delete-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { removeRows } from './remove-rows.ts';

export type RemovingServices = Services & { readonly secrets: Pick<Secrets, 'remove'> };

export function removeProjects(services: RemovingServices, time: Time): Promise<Sweep> {
  const { table, now } = services;
  const handle = async (due: DueProject) => {
    const isDone = await removeProject(services, due, time);
    const writes: Write[] = [remove(dueProjects, due)];
    if (!isDone) writes.push(put(dueProjects, { ...due, dueAt: now() + MODEL_LIMITS.deletionPauseMilliseconds }));
    await table.transact(writes);
  };
  return processDueRows(services, time, dueProjects, handle);
}

/** Returns whether nothing is left to remove. A project that was restored is left alone. */
async function removeProject(services: RemovingServices, due: DueProject, time: Time): Promise<boolean> {
  const { table, now } = services;
  const project = await table.get(projects, due, { consistent: true });
  if (project) {
    const { deletesAt } = project;
    if (deletesAt === undefined || deletesAt > now()) return true;
    const isUnchanged = { path: 'deletesAt', equals: deletesAt } as const;
    const isGone = await table.transact([
      removeWhen(projects, project, isUnchanged),
      remove(projectsOfOrganization, project),
    ]);
    if (!isGone) return false;
  }
  const hiddenCount = await hideRuns(services, due);
  await removeCredentials(services, due);
  const hadNoRows = await removeRows(services, ROWS_OF_PROJECT, due, time);
  return hadNoRows && project === undefined && hiddenCount === 0;
}

/** Hides some runs of the project, and returns their number. */
async function hideRuns({ table, now }: Services, due: DueProject): Promise<number> {
  const options = { limit: LIFECYCLE_LIMITS.runsPerPass, consistent: true };
  const { rows } = await table.query(runsOfProject, getRunsSpan(due), options);
  const listedRuns = rows.map(({ item }) => item);
  const storedRuns = await table.getMany(runs, listedRuns, { consistent: true });
  await mapConcurrently(
    storedRuns.flatMap((run) => run ?? []),
    (run) => table.transact(makeHidingWrites(run, now())),
    LIFECYCLE_LIMITS.runsHiddenAtOnce,
  );
  const danglingRows = listedRuns.filter((_, place) => storedRuns[place] === undefined);
  await table.writeMany(danglingRows.map((row) => remove(runsOfProject, row)));
  return listedRuns.length;
}

/** Removes the credentials of notifications before the rows that name them. */
async function removeCredentials({ table, secrets }: RemovingServices, due: DueProject): Promise<void> {
  const notificationRows = await table.getMany(notifications, listNotificationKeys(due), { consistent: true });
  await mapConcurrently(
    notificationRows.flatMap((notification) => notification ?? []),
    (notification) => removeCredential(secrets, notification),
  );
}
