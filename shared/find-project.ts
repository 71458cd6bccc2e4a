/** Reads a project that a request names. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { type Check, check, PRESENT } from '#shared/engine/table/writes.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';

/** Throws 404 if the organization has no such project. */
export const findProject = async (
  { table }: WithTable,
  key: ProjectKey,
  options: { readonly consistent?: boolean } = {},
): Promise<ProjectRecord> => (await table.get(projects, key, options)) ?? refuse(notFound('Project'));

/**
 * Reads the project of a request that adds something or changes a setting. A deleted project can still be read, but
 * until somebody restores it, such requests are refused like those for an unknown project.
 */
export async function findProjectInUse(services: WithTable, key: ProjectKey): Promise<ProjectRecord> {
  return requireInUse(await findProject(services, key, { consistent: true }));
}

const IN_USE: Condition = { all: [PRESENT, { absent: 'deletesAt' }] };

/** Makes a transaction fail if the project is deleted before it is written. */
export const checkInUse = (key: ProjectKey): Check => check(projects, key, IN_USE);

export const isInUse = (project: ProjectRecord | undefined): project is ProjectRecord =>
  project !== undefined && project.deletesAt === undefined;

export const requireInUse = (project: ProjectRecord | undefined): ProjectRecord =>
  isInUse(project) ? project : refuse(notFound('Project'));
