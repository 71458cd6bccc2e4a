/** Reads a project that a request names. */
import { notFound, refuse } from './engine/errors.ts';
import { type ProjectKey, type ProjectRecord, projects } from './model/organizations/project.ts';
import type { WithTable } from './services.ts';

/** Throws 404 if the organization has no such project. */
export const findProject = async (
  { table }: WithTable,
  key: ProjectKey,
  options: { readonly consistent?: boolean } = {},
): Promise<ProjectRecord> => (await table.get(projects, key, options)) ?? refuse(notFound('Project'));
