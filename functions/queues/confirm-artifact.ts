import { artifacts } from '#shared/model/artifact.ts';
import { traceAnalyses } from '#shared/model/evidence.ts';
import { shownFiles } from '#shared/model/shown-files.ts';
import { testRecords } from '#shared/model/test-record.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { ObjectCreated } from '#shared/recording/artifact-wire.ts';
import { confirmArtifacts } from '#shared/recording/confirm-artifact.ts';

export const handler = consumer({
  name: 'confirmArtifact',
  source: 'artifactUploaded',
  access: {
    table: 'readWrite',
    reads: [testRecords],
    writes: [artifacts, shownFiles, traceAnalyses],
    artifacts: 'confirm',
  },
  summary: 'Confirms an uploaded file, removes a file that differs from its announcement, and analyzes traces',
  maxReceiveCount: 5,
  timeoutSeconds: 60,
  // One trace may use most of the time limit, so each call gets one file.
  messagesPerCall: 1,
  message: ObjectCreated,
  handle: (message, services) => confirmArtifacts(services, message),
});
