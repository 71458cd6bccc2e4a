import { consumer } from '#shared/consumer.ts';
import { confirmArtifacts, ObjectCreated } from '#shared/recording/confirm-artifact.ts';

export const handler = consumer({
  name: 'confirmArtifact',
  source: 'artifactUploaded',
  access: { table: 'readWrite', artifacts: 'read' },
  summary: 'Notes on the artifact that its file has arrived, and reads what a trace says of the browser',
  maxReceiveCount: 5,
  timeoutSeconds: 60,
  // A trace may take most of that time, and must not take it from the files behind it.
  messagesPerCall: 1,
  message: ObjectCreated,
  handle: (message, services) => confirmArtifacts(services, message),
});
