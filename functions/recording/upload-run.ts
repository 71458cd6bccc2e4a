import { callerFromBody } from '#shared/credentials/from-body.ts';
import { endpoint } from '#shared/endpoint.ts';
import { UploadRunAnswer, UploadRunBody } from '#shared/recording/batch-wire.ts';
import { uploadRun } from '#shared/recording/upload-run.ts';

/** The batch protocol's only call. Its clients put the key into the body, where no authorizer can see it. */
export const handler = endpoint({
  operationId: 'uploadRun',
  route: 'POST /runs',
  permission: 'record',
  credential: callerFromBody(),
  access: { table: 'readWrite', artifacts: 'readWrite' },
  summary: 'Record finished instances of a run',
  body: UploadRunBody,
  response: UploadRunAnswer,
  handle: ({ caller: { organizationId }, body, header }, services) =>
    uploadRun(services, { organizationId, body, clientVersion: header('x-cmd-version') }),
});
