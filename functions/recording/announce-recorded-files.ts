import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { announceRecordedFiles } from '#shared/recording/own/announce-recorded-files.ts';
import { FileLinks, FilesBody } from '#shared/recording/own/recording-wire.ts';
import { requireOwnRun } from '#shared/recording/own-build.ts';

export const handler = endpoint({
  operationId: 'announceRecordedFiles',
  route: 'POST /recordings/{runId}/files',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'write' },
  summary: 'Get upload links for the files of recorded tests',
  description: 'A file that is already stored, or that cannot be accepted, gets a `reason` instead of a link.',
  body: FilesBody,
  response: single(FileLinks),
  refuses: ['notFound', 'runTakesNoMore'],
  ofBuild: requireOwnRun,
  async handle({ actor, path: { runId }, body }, services) {
    const request = { organizationId: actor.organizationId, runId, body, origin: findBuild(actor)?.origin };
    return wrapData(await announceRecordedFiles(services, request));
  },
});
