/**
 * Interrupts the confirmation of an uploaded file between its writes, and then handles the message about the upload
 * again. `npm test` tries only some of the interruptions.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { remove } from '#shared/engine/table/writes.ts';
import { artifacts, getInstanceArtifactsSpan, getObjectKey, getUploadKey } from '#shared/model/results/artifact.ts';
import { confirmArtifacts, TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { IS_DEEP, sampled } from '#test/harness/cases.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { mortal } from '#test/harness/interrupted-table.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { queueOf } from '#test/harness/queues.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { clock, FAR_FUTURE, service } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > sums';
const TRACE = join(import.meta.dirname, '../samples/traces/trace.zip');

/** A failed test with a file that was uploaded, but is not confirmed yet. */
async function uploaded(type: string, contentType: string, content: Uint8Array<ArrayBuffer>, sentAs = contentType) {
  clock.set(FAR_FUTURE);
  const tenant = await service();
  const { services, environment, organizationId } = tenant;
  // The queue holds the message back, because the test handles the message itself.
  await queueOf(environment, 'confirmArtifact').delay(900);
  const { records, instances } = await recordRun(tenant, { retail: { tests: { [TEST]: failed() } } });
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  const body = { artifactId: 'a1', type, name: 'file', attemptId: 1, contentType };
  const answer = await tenant.api.post(`@/artifacts/test-record/${records[`retail ${TEST}`]}`, body);
  const request = { method: 'PUT', body: content, headers: { 'content-type': sentAs } };
  expect((await fetch(answer.body.uploadUrl, request)).status).toBe(200);
  const [row] = await services.table.queryAll(artifacts, getInstanceArtifactsSpan({ organizationId, instanceId }));
  if (!row) throw new Error('The announced file has no row');
  const message = { Records: [{ s3: { object: { key: getUploadKey(row) } } }], rounds: 0 };
  return {
    ...tenant,
    environment,
    services,
    row,
    handle: (on: typeof services) => confirmArtifacts(inFreeSlot(on, TRACE_CAPS), message),
  };
}

describe('A confirmation of an upload that is interrupted between its writes', () => {
  const kinds: readonly [type: string, contentType: string, writes: number][] = [
    ['trace', 'application/zip', 10],
    ['screenshot', 'image/png', 6],
    ['video', 'video/webm', 6],
    ['attachment', 'text/plain', 5],
  ];
  test.each(sampled(kinds, kinds.length))(
    'An interrupted confirmation of a file of the type %s leaves the same data as an uninterrupted one once its message is delivered again',
    async (type, contentType, writes) => {
      const content = type === 'trace' ? new Uint8Array(await readFile(TRACE)) : new Uint8Array([1, 2, 3]);
      const sample = type === 'trace' ? 10 : 3;
      const found = await interruptions({ ...(await uploaded(type, contentType, content)), sample });
      const interrupted = IS_DEEP ? writes + 1 : Math.min(sample, writes + 1);
      expect(found).toEqual({ writes, interrupted, differing: [], repeated: [] });
    },
  );

  test('An interrupted confirmation of a file whose content type differs from the announced one leaves the same data as an uninterrupted one once its message is delivered again', async () => {
    const work = await uploaded('attachment', 'text/plain', new Uint8Array([1]), 'text/html');
    expect(await interruptions(work)).toEqual({ writes: 2, interrupted: IS_DEEP ? 3 : 2, differing: [], repeated: [] });
  });

  test('An interrupted confirmation leaves no file behind if the row of the file is deleted before the message is delivered again', async () => {
    const { services, environment, organizationId, row, handle } = await uploaded(
      'attachment',
      'text/plain',
      new Uint8Array([1]),
    );
    // The confirmation is interrupted after it has claimed the upload, taken room for it and copied it.
    await expect(handle(mortal(services, 3).services)).rejects.toThrow('The process has died');
    expect(await objectsOf({ environment, organizationId })).toEqual([getObjectKey(row), getUploadKey(row)]);
    await services.table.writeMany([remove(artifacts, row)]);
    await handle(services);
    expect(await objectsOf({ environment, organizationId })).toEqual([]);
  });

  test('A file can be uploaded again if its confirmation was interrupted and the first upload is gone', async () => {
    const { services, row, handle } = await uploaded('attachment', 'text/plain', new Uint8Array([1]));
    await expect(handle(mortal(services, 1).services)).rejects.toThrow('The process has died');
    await services.artifacts.remove(getUploadKey(row));
    expect(await handle(services)).toEqual([{ upload: 'gone', key: getUploadKey(row) }]);
    await services.artifacts.put(getUploadKey(row), new Uint8Array([1, 2, 3]), 'text/plain');
    await handle(services);
    expect(await services.table.get(artifacts, row, { consistent: true })).toMatchObject({ bytes: 3 });
  });
});
