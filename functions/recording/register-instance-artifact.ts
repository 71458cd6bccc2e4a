import { endpoint } from '#shared/platform/endpoint.ts';
import { ArtifactAnswer, InstanceArtifactBody } from '#shared/recording/published/artifact-wire.ts';
import { registerInstanceArtifact } from '#shared/recording/published/register-artifact.ts';

export const handler = endpoint({
  operationId: 'registerInstanceArtifact',
  route: 'POST /artifacts/instance/{instanceId}',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'write' },
  summary: 'Announce an artifact of a spec file (standard output, coverage) and get its upload link',
  body: InstanceArtifactBody,
  response: ArtifactAnswer,
  refuses: ['notFound', 'storageFull'],
  handle: ({ actor: { organizationId }, path: { instanceId }, body }, services) =>
    registerInstanceArtifact(services, { organizationId, instanceId, body }),
});
