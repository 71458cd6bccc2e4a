/** Reads a project that a request names. */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { notFound, refuse } from './engine/errors.ts';
import { type ProjectRecord, projects } from './model/organizations/project.ts';

/** Throws 404 if the organization has no such project. */
export const findProject = async (
  { table }: WithTable,
  key: ProjectKey,
  options: { readonly consistent?: boolean } = {},
): Promise<ProjectRecord> => (await table.get(projects, key, options)) ?? refuse(notFound('Project'));
