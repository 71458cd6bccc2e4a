import * as z from 'zod';
import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { bindImport } from '#shared/imports/bind-import.ts';
import { ImportAnswer, ImportQuery } from '#shared/imports/import-wire.ts';
import { presentImport, type ShownImport } from '#shared/imports/present-import.ts';
import { endBuild, isEndOfBuild, previewImport, startImport } from '#shared/imports/start-import.ts';
import { FORMAT_NAMES } from '#shared/model/runs/report-format.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { requireOwnBuildInQuery } from '#shared/recording/own-build.ts';

export const handler = endpoint({
  operationId: 'createImport',
  route: 'POST /projects/{projectId}/imports',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'submit' },
  summary: `Import a test report (${FORMAT_NAMES}), or a zip of several`,
  description:
    'Send the file as the body, plain or gzip, with any content type, or send a form with one or more files. Small reports are recorded before the response. For larger ones the response has the state `waiting`, and `GET /imports/{importId}` shows the progress. Sending the same file again with the same parameters returns the same import. To end the run of a CI build, send an empty body with `ciBuildId` and `complete=true`.',
  query: ImportQuery,
  bytes: z.instanceof(Uint8Array),
  response: single(ImportAnswer),
  refuses: ['notFound', 'runTakesNoMore'],
  ofBuild: requireOwnBuildInQuery,
  async handle({ actor, path: { projectId }, query: { dryRun = false, ...sentOptions }, body }, services) {
    const options = bindImport(sentOptions, findBuild(actor));
    const request = { organizationId: actor.organizationId, projectId, options, file: body };
    const answer = (shownImport: ShownImport) => wrapData(presentImport(services.origin, shownImport));
    if (dryRun) return answer(await previewImport(services, request));
    return answer(isEndOfBuild(request) ? await endBuild(services, request) : await startImport(services, request));
  },
});
