import { describe, expect, test, vi } from 'vitest';
import { artifacts as entity, getInstanceArtifactsSpan, getUploadKey } from '#shared/model/results/artifact.ts';
import { confirmArtifacts, findUploadProblem, TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { confirmed } from '#test/harness/downloads.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { queueOf } from '#test/harness/queues.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { logLines, service } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > sums';

/** Announces a file of a failed test, with this content type. */
async function announced(contentType = 'text/plain') {
  // The object store checks the expiry of signed links against the real clock.
  vi.useRealTimers();
  const tenant = await service();
  const { runId, records, instances } = await recordRun(tenant, { retail: { tests: { [TEST]: failed() } } });
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  const body = { artifactId: 'a1', type: 'attachment', name: 'notes', attemptId: 0, contentType };
  const answer = await tenant.api.post(`@/artifacts/test-record/${records[`retail ${TEST}`]}`, body);
  const { organizationId, services, environment } = tenant;
  const [row] = await services.table.queryAll(entity, getInstanceArtifactsSpan({ organizationId, instanceId }));
  if (!row) throw new Error('The announced file has no row');
  const key = getUploadKey(row);
  const file = async () => (await read(tenant.api, `/instances/${instanceId}`)).results.attachments[0];
  const put = async (content: string, type = 'text/plain') => {
    const request = { method: 'PUT', body: content, headers: { 'content-type': type } };
    expect((await fetch(answer.body.uploadUrl, request)).status).toBe(200);
  };
  const queue = queueOf(environment, 'confirmArtifact');
  return {
    ...tenant,
    runId,
    key,
    put,
    file,
    queue,
    notes: (word: string) => logLines.filter((line) => line.includes(key) && line.includes(`"upload":"${word}"`)),
    /**
     * Waits until all upload notifications are processed, and checks that no object is left under the key of the
     * upload.
     */
    settled: async () => {
      await expect.poll(queue.count).toBe(0);
      expect(await queue.deadLetters()).toBe(0);
      expect(await services.artifacts.describe(key)).toBeUndefined();
    },
  };
}

describe('The confirmation of an uploaded file', () => {
  test.each([
    ['text/plain', 'text/html'],
    ['image/png', 'image/svg+xml'],
    ['text/plain', ''],
  ])(
    'A file announced as %s but uploaded as "%s" is removed, and can be uploaded again with the announced type',
    async (announcedType, sentType) => {
      const { put, file, notes, settled } = await announced(announcedType);
      await put('<script>alert(1)</script>', sentType);
      await expect.poll(() => notes('refused').length).toBe(1);
      await settled();
      const { bytes, readUrl } = await file();
      expect({ bytes, status: (await fetch(readUrl)).status }).toEqual({ bytes: null, status: 404 });
      await put('seen', announcedType);
      expect(await (await confirmed(readUrl)).text()).toBe('seen');
      await settled();
    },
  );

  test.each([
    ['text/plain', 'Text/Plain; charset=utf-8'],
    ['text/html; charset=utf-8', 'text/html'],
    ['application/octet-stream', 'image/png'],
    ['no content type', 'whatever'],
  ])('A file announced as %s may be uploaded as %s', async (announcedType, sentType) => {
    const { put, file } = await announced(announcedType);
    await put('seen', sentType);
    await expect.poll(async () => (await file()).bytes).toBe(4);
    expect(await (await confirmed((await file()).readUrl)).text()).toBe('seen');
  });

  test('A file of the maximum size is accepted, and a file with one more byte is refused', () => {
    const file = { contentType: 'text/plain', eTag: 'e' };
    const problem = (bytes: number) => findUploadProblem({ contentType: 'text/plain' }, { ...file, bytes })?.reason;
    expect(problem(RECORDING_LIMITS.artifactBytes)).toBeUndefined();
    expect(problem(RECORDING_LIMITS.artifactBytes + 1)).toBe(
      `has 1073741825 bytes, but the limit is ${RECORDING_LIMITS.artifactBytes}`,
    );
  });

  test('A file larger than announced is refused, and a smaller one is accepted', () => {
    const file = { contentType: 'text/plain', eTag: 'e' };
    const problem = (bytes: number) =>
      findUploadProblem({ contentType: 'text/plain', announcedBytes: 5 }, { ...file, bytes })?.refusal;
    expect([problem(4), problem(5), problem(6)]).toEqual([undefined, undefined, 'tooLarge']);
  });

  test('A second upload through the same link cannot change a confirmed file', async () => {
    const { put, file, notes, settled } = await announced();
    await put('first');
    await expect.poll(async () => (await file()).bytes).toBe(5);
    // The last step of the first confirmation deletes whatever is uploaded then.
    await settled();
    await put('second one');
    await put('');
    await expect.poll(() => notes('repeated').length).toBeGreaterThan(0);
    await settled();
    expect((await file()).bytes).toBe(5);
    expect(await (await confirmed((await file()).readUrl)).text()).toBe('first');
  });

  test('If a file is uploaded again while its first upload is being confirmed, one of the two uploads remains, never a mixture', async () => {
    for (let call = 0, more = true; more; call += 1) {
      const { services, key, put, file, settled, queue } = await announced();
      await queue.retryAfter(1);
      await put('first');
      const { services: interrupted, happened } = interruptedAt(services, call, () => put('second one'));
      const message = { Records: [{ s3: { object: { key } } }], rounds: 0 };
      // A confirmation that detects a concurrent upload fails, and the queue delivers its message again.
      await confirmArtifacts(inFreeSlot({ ...services, ...interrupted }, TRACE_CAPS), message).catch(() => []);
      more = happened();
      await expect.poll(async () => (await file()).bytes).not.toBeNull();
      await settled();
      const { bytes, readUrl } = await file();
      const text = await (await confirmed(readUrl)).text();
      expect(['first', 'second one']).toContain(text);
      expect(bytes).toBe(text.length);
    }
  }, 60_000);
});

test('The links to a file make browsers download the file instead of showing it', async () => {
  const { put, api, runId, file } = await announced();
  await put('seen');
  await confirmed((await file()).readUrl);
  const artifact = { path: 'out.txt', type: 'attachment', contentType: 'text/html' };
  const instance = batchInstance('unit', 'a.spec.ts', { [TEST]: passed() }, { artifacts: [artifact] });
  const batch = { ...(await announced()), runId };
  const uploaded = await upload(batch, [suiteGroup('unit', ['a.spec.ts > a'])], [instance], { ciBuildId: 'batch' });
  const answers = [
    await file(),
    uploaded.artifactUploadUrls.map(({ readUrl }: { readUrl: string }) => readUrl),
    (await api.get(`/context?run_id=${runId}`)).body,
  ];
  const links = JSON.stringify(answers).match(/http[^"]+X-Amz-Signature=\w+/g) ?? [];
  expect(links.length).toBeGreaterThan(1);
  for (const link of links) {
    expect(new URL(link).searchParams.get('response-content-disposition')).toMatch(/^attachment; filename\*=UTF-8''/);
  }
});
