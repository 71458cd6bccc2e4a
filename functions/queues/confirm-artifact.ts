import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { artifacts } from '#shared/model/results/artifact.ts';
import { traceAnalyses } from '#shared/model/results/evidence.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import { connectCallShare, connectFileQueue } from '#shared/platform/connect.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { ObjectCreated } from '#shared/recording/artifact-wire.ts';
import { confirmArtifacts, findCauseOfUpload, TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';

const queue = connectFileQueue();
const share = connectCallShare();

export const handler = consumer({
  name: 'confirmArtifact',
  source: 'artifactUploaded',
  access: {
    table: 'readWrite',
    reads: [activeOrganizations, organizations, testRecords],
    writes: [artifacts, shownFiles, traceAnalyses, callSlots, storedBytes],
    artifacts: 'confirm',
  },
  sends: ['fileQueue'],
  summary: 'Confirms an uploaded file, removes it if it differs from its announcement, and analyzes traces',
  maxReceiveCount: 5,
  timeoutSeconds: 60,
  // Analyzing one trace may take most of the time limit, so each invocation gets one file.
  messagesPerCall: 1,
  metrics: ['rounds'],
  message: ObjectCreated,
  findCause: (message, services) => findCauseOfUpload(services, message),
  handle: (message, services) =>
    confirmArtifacts({ ...services, queue: queue(), slots: new CallSlots(TRACE_CAPS, share()) }, message),
});
