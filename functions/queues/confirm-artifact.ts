import { consumer } from '#shared/consumer.ts';
import { confirmArtifacts, ObjectCreated } from '#shared/recording/confirm-artifact.ts';

export const handler = consumer({
  name: 'confirmArtifact',
  source: 'artifactUploaded',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Notes on the artifact that its file has arrived',
  maxReceiveCount: 5,
  timeoutSeconds: 30,
  message: ObjectCreated,
  handle: (message, services) => confirmArtifacts(services, message),
});
