import * as z from 'zod';
import { ok, single } from '#shared/engine/http/envelope.ts';
import { ImportAnswer, ImportQuery } from '#shared/imports/import-wire.ts';
import { presentImport } from '#shared/imports/present-import.ts';
import { previewImport, startImport } from '#shared/imports/start-import.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

export const handler = endpoint({
  operationId: 'createImport',
  route: 'POST /projects/{projectId}/imports',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'submit' },
  summary: 'Import a test report: JUnit XML, CTRF, Playwright JSON or blob, or a zip of several',
  description:
    'The body is the file, plain or gzip, of any content type, or a form with one or more files. Small reports are recorded before the answer; for larger ones the answer has the state `waiting`, and `GET /imports/{importId}` shows the progress. The same file again is the same import. An empty body with `ciBuildId` and `complete=true` ends the run of the build.',
  path: { projectId: id },
  query: ImportQuery,
  bytes: z.instanceof(Uint8Array),
  response: single(ImportAnswer),
  refuses: ['notFound', 'runTakesNoMore'],
  async handle(
    { actor: { organizationId }, path: { projectId }, query: { dryRun = false, ...options }, body },
    services,
  ) {
    const read = dryRun ? previewImport : startImport;
    const shown = await read(services, { organizationId, projectId, options, file: body });
    return ok({ data: presentImport(services.origin, shown) });
  },
});
