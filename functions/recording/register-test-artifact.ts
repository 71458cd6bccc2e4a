import { endpoint } from '#shared/endpoint.ts';
import { ArtifactAnswer, registerTestArtifact, TestArtifactBody } from '#shared/recording/register-artifact.ts';
import { id } from '#shared/resources/names.ts';

export const handler = endpoint({
  operationId: 'registerTestArtifact',
  route: 'POST /artifacts/test-record/{recordId}',
  at: 'origin',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'write' },
  summary: 'Announce a file of a test and get a link to put it to',
  path: { recordId: id },
  body: TestArtifactBody,
  response: ArtifactAnswer,
  handle: ({ caller: { organizationId }, path: { recordId }, body }, services) =>
    registerTestArtifact(services, { organizationId, recordId, body }),
});
