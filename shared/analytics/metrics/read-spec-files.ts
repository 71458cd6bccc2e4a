/** §4.4.5 The spec files of a project with their metrics. */
import type * as z from 'zod';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import type { AnalyticsRequest } from '../read-model.ts';
import { readSpecs } from '../read-specs.ts';
import { listSpecFiles } from './list-spec-files.ts';
import { paginateByOffset } from './offset-page.ts';
import { toAnalyticsFilter, toPeriod } from './range-wire.ts';
import type { SpecFileRow, SpecFilesList, SpecFilesQuery } from './spec-files-wire.ts';

/** The rows of all pages. */
export async function readAllSpecFiles(
  services: WithTable,
  { query, ...scope }: AnalyticsRequest<SpecFilesQuery>,
): Promise<SpecFileRow[]> {
  const [specs] = await Promise.all([
    readSpecs(services, scope, toPeriod(query), toAnalyticsFilter(query)),
    findProject(services, scope),
  ]);
  return listSpecFiles(scope, specs, query);
}

export const readSpecFiles = async (
  services: WithTable,
  request: AnalyticsRequest<SpecFilesQuery>,
): Promise<z.infer<typeof SpecFilesList>> => paginateByOffset(await readAllSpecFiles(services, request), request.query);
