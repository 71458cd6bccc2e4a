import { endpoint } from '#shared/platform/endpoint.ts';
import { actorFromBody } from '#shared/platform/from-body.ts';
import { UploadRunAnswer, UploadRunBody } from '#shared/recording/published/batch-wire.ts';
import { uploadRun } from '#shared/recording/published/upload-run.ts';

/** The only request of the batch protocol. The record key is in the body, where the authorizer cannot see it. */
export const handler = endpoint({
  operationId: 'uploadRun',
  route: 'POST /runs',
  permission: 'record',
  credential: actorFromBody(),
  access: { table: 'readWrite', artifacts: 'readWrite' },
  summary: 'Record finished instances of a run',
  body: UploadRunBody,
  response: UploadRunAnswer,
  limit: () => ({ what: 'The list of upload links', remedies: ['upload fewer files in each call'] }),
  refuses: ['notFound', 'runTakesNoMore'],
  handle: ({ actor: { organizationId }, body, header }, services) =>
    uploadRun(services, { organizationId, body, clientVersion: header('x-cmd-version') }),
});
