/** §4.4 Reads a page of the spec files. */
import type * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';
import { readSpecs } from '../read-specs.ts';
import { listSpecFiles } from './list-spec-files.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';
import type { SpecFilesPage, SpecFilesQuery } from './spec-files-wire.ts';

export async function readSpecFiles(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: AnalyticsScope & { readonly query: SpecFilesQuery },
): Promise<z.infer<typeof SpecFilesPage>> {
  const specs = await readSpecs(services, scope, periodOf(query), filterOf(query));
  return offsetPage(listSpecFiles(scope, specs, query), query);
}
