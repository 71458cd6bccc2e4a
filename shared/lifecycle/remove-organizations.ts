/**
 * §5 Removes deleted organizations whose waiting time has ended. The first pass removes the organization itself, so
 * that nobody can use it, and leaves its projects to the sweep of deleted projects. When the projects are gone, passes
 * remove people, credentials and the rest. They are repeated until one finds nothing left, because requests that began
 * earlier may still write rows.
 */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { processDueRows, type Sweep, type Time } from '#shared/engine/table/sweep.ts';
import { PRESENT, put, remove, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { removeCredential } from '#shared/model/credential.ts';
import {
  type DueDeletion,
  type DueIndex,
  type DueOrganization,
  type DueProject,
  dueDeletions,
  dueOrganizations,
  dueProjects,
} from '#shared/model/due.ts';
import type { OutboxContent } from '#shared/model/events/outbox-content.ts';
import { outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { getIntegrationsSpan, integrations } from '#shared/model/issues/integration.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import { getProjectsSpan, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { ROWS_OF_ORGANIZATION } from '#shared/model/organizations/rows-of-organization.ts';
import { companyProviders } from '#shared/model/sign-in/company-provider.ts';
import type { CoreServices } from '#shared/services.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { removePeople } from './remove-people.ts';
import { removeRows } from './remove-rows.ts';

interface RemovingServices extends CoreServices {
  /** The credentials of issue trackers. */
  readonly trackers: Pick<Secrets, 'remove'>;
  /** The client secrets of companies' identity providers. */
  readonly providers: Pick<Secrets, 'remove'>;
}

interface Removal extends Sweep {
  /** The organizations of which nothing is left. The log of the schedule is the last record of them. */
  readonly removed: readonly DueOrganization[];
}

export async function removeOrganizations(services: RemovingServices, time: Time): Promise<Removal> {
  const { table, now } = services;
  const removedOrganizations: DueOrganization[] = [];
  const handle = async (due: DueOrganization) => {
    const outcome = await removeOrganization(services, due, time);
    const writes: Write[] = [remove(dueOrganizations, due)];
    if (outcome === 'unfinished' || outcome === 'projectsLeft')
      writes.push(put(dueOrganizations, { ...due, dueAt: now() + MODEL_LIMITS.deletionPauseMilliseconds }));
    await table.transact(writes);
    if (outcome === 'removed') removedOrganizations.push(due);
  };
  const sweepResult = await processDueRows(services, time, dueOrganizations, handle);
  return { ...sweepResult, removed: removedOrganizations };
}

/** One pass. A restored organization is left alone. `projectsLeft`: the removal of projects or runs has not ended. */
export async function removeOrganization(
  services: RemovingServices,
  due: DueOrganization,
  time: Time,
): Promise<'restored' | 'projectsLeft' | 'unfinished' | 'removed'> {
  const { table, now } = services;
  const organization = await table.get(organizations, due, { consistent: true });
  if (organization) {
    const { deletesAt } = organization;
    if (deletesAt === undefined || deletesAt > now()) return 'restored';
    const isUnchanged = { path: 'deletesAt', equals: deletesAt } as const;
    const writes = [removeWhen(organizations, organization, isUnchanged), remove(allOrganizations, organization)];
    if (!(await table.transact(writes))) return 'unfinished';
  }
  if (!(await scheduleProjectRemovals(services, due))) return 'projectsLeft';
  const integrationRows = await table.queryAll(integrations, getIntegrationsSpan(due), { consistent: true });
  await mapConcurrently(integrationRows, (integration) => removeCredential(services.trackers, integration));
  const provider = await table.get(companyProviders, due, { consistent: true });
  if (provider) await removeCredential(services.providers, provider);
  const hadNobody = await removePeople(services, due, time);
  const hadNothing = await removeRows(services, ROWS_OF_ORGANIZATION, due, time);
  const hadNoEvents = await removeUnsentEvents(services, due);
  return hadNobody && hadNothing && hadNoEvents && organization === undefined ? 'removed' : 'unfinished';
}

/** Returns whether there were none. Reads the unsent events of all organizations, because there are few. */
async function removeUnsentEvents({ table }: CoreServices, { organizationId }: DueOrganization): Promise<boolean> {
  let hadNone = true;
  for (const index of [outboxRetries, outboxParked]) {
    for (let shard = 0; shard < index.shards; shard += 1) {
      const rows = await table.queryAll(index, index.span(shard, Number.POSITIVE_INFINITY), { consistent: true });
      const ownRows = rows.filter(({ content }) => isAbout(content, organizationId));
      await table.writeMany(ownRows.map((row) => remove(index, row)));
      hadNone &&= ownRows.length === 0;
    }
  }
  return hadNone;
}

const isAbout = (content: OutboxContent, organizationId: string): boolean => {
  if (content.kind === 'unreadable') return false;
  if (content.kind !== 'events') return content.job.organizationId === organizationId;
  return content.events.some((event) => event.organizationId === organizationId);
};

/** Makes the next projects due for their sweep. Returns whether nothing of any project is left. */
async function scheduleProjectRemovals(services: CoreServices, { organizationId }: DueOrganization): Promise<boolean> {
  const { table, now } = services;
  const options = { limit: LIFECYCLE_LIMITS.projectsPerPass, consistent: true };
  const { rows } = await table.query(projectsOfOrganization, getProjectsSpan({ organizationId }), options);
  const projectKeys = rows.map(({ item }) => item);
  const storedProjects = await table.getMany(projects, projectKeys, { consistent: true });
  const dueAt = now();
  const projectsToRemove = storedProjects
    .filter((project) => project !== undefined)
    .filter(({ deletesAt }) => deletesAt === undefined || deletesAt > dueAt);
  await mapConcurrently(projectsToRemove, ({ projectId, deletesAt }) => {
    const project = { organizationId, projectId };
    const writes: Write[] = [
      update(projects, project, { set: [['deletesAt', dueAt]] }, PRESENT),
      put(dueProjects, { ...project, dueAt }),
    ];
    if (deletesAt !== undefined) writes.push(remove(dueProjects, { ...project, dueAt: deletesAt }));
    return table.transact(writes);
  });
  if (rows.length > 0 || (await hasWorkDueSoon(services, dueProjects, organizationId))) return false;
  return !(await hasWorkDueSoon(services, dueDeletions, organizationId));
}

/** Unfinished work is due again after a pause, so this looks ahead by twice that pause. */
async function hasWorkDueSoon<Row extends DueProject | DueDeletion>(
  { table, now }: CoreServices,
  index: DueIndex<Row>,
  organizationId: string,
): Promise<boolean> {
  const until = now() + 2 * MODEL_LIMITS.deletionPauseMilliseconds;
  for (let shard = 0; shard < index.shards; shard += 1) {
    const rows = await table.queryAll(index, index.span(shard, until), { consistent: true });
    if (rows.some((row) => row.organizationId === organizationId)) return true;
  }
  return false;
}
