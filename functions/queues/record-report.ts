import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import { findCauseOfReport, REPORT_CAPS, recordReports } from '#shared/imports/record-report.ts';
import { connectCallShare, connectReportQueue } from '#shared/platform/connect.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { ObjectCreated } from '#shared/recording/artifact-wire.ts';

const queue = connectReportQueue();
const share = connectCallShare();

/**
 * Recording 100,000 tests takes a sixth of the time limit (see test/tools/bench). If an invocation reaches the limit,
 * the next invocation continues the import.
 */
export const handler = consumer({
  name: 'recordReport',
  source: 'reportUploaded',
  access: { table: 'readWrite', artifacts: 'import' },
  sends: ['reportQueue'],
  summary: 'Records an uploaded report',
  maxReceiveCount: 5,
  timeoutSeconds: 840,
  retrySeconds: 900,
  memoryMegabytes: 3008,
  messagesPerCall: 1,
  metrics: ['rounds'],
  message: ObjectCreated,
  findCause: (message, services) => findCauseOfReport(services, message),
  handle: (message, services) =>
    recordReports({ ...services, queue: queue(), slots: new CallSlots(REPORT_CAPS, share()) }, message),
});
