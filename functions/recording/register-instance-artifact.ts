import { endpoint } from '#shared/endpoint.ts';
import { ArtifactAnswer, InstanceArtifactBody, registerInstanceArtifact } from '#shared/recording/register-artifact.ts';
import { id } from '#shared/resources/names.ts';

export const handler = endpoint({
  operationId: 'registerInstanceArtifact',
  route: 'POST /artifacts/instance/{instanceId}',
  at: 'origin',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'write' },
  summary: 'Announce a file of a spec file (its standard output, coverage) and get a link to put it to',
  path: { instanceId: id },
  body: InstanceArtifactBody,
  response: ArtifactAnswer,
  handle: ({ caller: { organizationId }, path: { instanceId }, body }, services) =>
    registerInstanceArtifact(services, { organizationId, instanceId, body }),
});
