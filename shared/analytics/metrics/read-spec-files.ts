/** §4.4.5 The spec files of a project with their metrics. */
import type * as z from 'zod';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import type { Asked } from '../read-model.ts';
import { readSpecs } from '../read-specs.ts';
import { listSpecFiles } from './list-spec-files.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';
import type { SpecFileRow, SpecFilesList, SpecFilesQuery } from './spec-files-wire.ts';

/** The rows of all pages. */
export async function readAllSpecFiles(
  services: WithTable,
  { query, ...scope }: Asked<SpecFilesQuery>,
): Promise<SpecFileRow[]> {
  const [specs] = await Promise.all([
    readSpecs(services, scope, periodOf(query), filterOf(query)),
    findProject(services, scope),
  ]);
  return listSpecFiles(scope, specs, query);
}

export const readSpecFiles = async (
  services: WithTable,
  asked: Asked<SpecFilesQuery>,
): Promise<z.infer<typeof SpecFilesList>> => offsetPage(await readAllSpecFiles(services, asked), asked.query);
