/** Reads the project that a request names. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import type { WithTable } from '#shared/services.ts';

/** Throws 404 for an unknown project. Without this check, its lists and totals would just be empty. */
export const knownProject = async ({ table }: WithTable, project: ProjectKey): Promise<ProjectRecord> =>
  (await table.get(projects, project)) ?? refuse(notFound('Project'));
