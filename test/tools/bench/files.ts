/** Counts what a file of a test costs besides its bytes: its announcement, and its confirmation after the upload. */
import { sendAwsRequest } from '#infra/local/host/aws-request.ts';
import { formatNotificationXml } from '#infra/local/stores/s3-notifications.ts';
import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { artifacts, getInstanceArtifactsSpan, getUploadKey } from '#shared/model/results/artifact.ts';
import { confirmArtifacts, TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import type { BenchService } from './bench-service.ts';
import type { FileCosts } from './counted-costs.ts';
import { MACHINE, startOpenRecording } from './live-progress.ts';
import { GROUP, suiteOf } from './suite.ts';

const TYPES = ['screenshot', 'video', 'attachment'];

/** The average of the files of a failed test, which one request announces. The analysis of a trace is not counted. */
export async function fileCosts(service: BenchService): Promise<FileCosts> {
  const { api, services, organizationId } = service;
  await silenceUploads(service);
  const runId = await startOpenRecording(service, 1);
  const [
    {
      spec,
      tests: [test],
    } = { spec: '', tests: [] },
  ] = suiteOf({ specs: 1, testsPerSpec: 8 });
  const files = TYPES.map((type) => ({
    groupId: GROUP,
    spec,
    testId: test?.testId,
    attempt: 1,
    type,
    name: type,
    contentType: 'application/octet-stream',
    bytes: type.length,
    sha256: 'a'.repeat(64),
  }));
  const announcement = await service.counted(() =>
    api.post(`/recordings/${runId}/files`, { machineId: MACHINE, files }),
  );
  const span = getInstanceArtifactsSpan({
    organizationId,
    instanceId: deriveInstanceId({ runId, groupId: GROUP, spec }),
  });
  const rows = await services.table.queryAll(artifacts, span, { consistent: true });
  if (rows.length !== TYPES.length) throw new Error(`Announced ${rows.length} of ${TYPES.length} files`);
  const table = services.table.metered();
  const queue = { send: async () => {} };
  for (const row of rows) {
    const key = getUploadKey(row);
    await services.artifacts.put(key, Buffer.from(row.type), 'application/octet-stream');
    const message = { Records: [{ s3: { object: { key } } }], rounds: 0 };
    const sender = { ...services, table, queue, slots: new CallSlots(TRACE_CAPS) };
    const notes = await confirmArtifacts(sender, message);
    if (notes.length > 0) throw new Error(`A file was not confirmed: ${JSON.stringify(notes)}`);
  }
  const perFile = ({ readUnits, writeUnits, trips }: FileCosts['announced']) => ({
    readUnits: readUnits / rows.length,
    writeUnits: writeUnits / rows.length,
    trips: trips / rows.length,
  });
  return { announced: perFile(announcement.cost), confirmed: perFile(table.meter) };
}

/** Otherwise the service would confirm the uploads itself, in the background. */
async function silenceUploads({ environment }: BenchService): Promise<void> {
  const answer = await sendAwsRequest({
    service: 's3',
    endpoint: environment['AWS_ENDPOINT_URL_S3'] ?? '',
    method: 'PUT',
    path: `/${environment['ARTIFACTS_BUCKET']}`,
    query: { notification: '' },
    body: formatNotificationXml({ QueueConfigurations: [] }),
  });
  if (answer.status !== 200) throw new Error(`The bucket keeps its notifications: ${answer.body}`);
}
