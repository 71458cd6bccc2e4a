import { endpoint } from '#shared/platform/endpoint.ts';
import { ArtifactAnswer, TestArtifactBody } from '#shared/recording/published/artifact-wire.ts';
import { registerTestArtifact } from '#shared/recording/published/register-artifact.ts';

export const handler = endpoint({
  operationId: 'registerTestArtifact',
  route: 'POST /artifacts/test-record/{recordId}',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'write' },
  summary: 'Announce a file of a test and get its upload link',
  body: TestArtifactBody,
  response: ArtifactAnswer,
  refuses: ['notFound', 'storageFull'],
  handle: ({ actor: { organizationId }, path: { recordId }, body }, services) =>
    registerTestArtifact(services, { organizationId, recordId, body }),
});
