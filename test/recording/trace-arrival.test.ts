import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { queueOf } from '#test/harness/queues.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed, type TestState, testIdOf } from '#test/harness/recording-messages.ts';
import { logLines, service } from '#test/harness/service.ts';
import expected from '#test/samples/traces/reading.json' with { type: 'json' };

const TEST = 'cart.spec.ts > sums';
const TRACE_FILE = join(import.meta.dirname, '../samples/traces/trace.zip');

/** Records a test with this result. Returns functions that upload a trace of the test, and read its analysis. */
async function stage(ending: TestState) {
  // The object store checks the expiry of signed links against the real clock.
  vi.useRealTimers();
  const tenant = await service();
  const { records, instances } = await recordRun(tenant, { retail: { tests: { [TEST]: ending } } });
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  const file = { artifactId: crypto.randomUUID(), type: 'trace', name: 'trace', contentType: 'application/zip' };
  const path = `@/artifacts/test-record/${records[`retail ${TEST}`]}`;
  const { uploadUrl } = (await tenant.api.post(path, { ...file, attemptId: 1 })).body;
  const asked = `/context?instance_id=${instanceId}&test_id=${testIdOf('retail', TEST)}`;
  const analysis = async (attempt: number) =>
    (await tenant.api.get(`${asked}&attempt=${attempt}`)).body.data.traceErrorAnalysis;
  const key = new URL(uploadUrl).pathname.split('/').slice(2).join('/');
  const isAboutIt = (line: string) => line.includes(file.artifactId) || line.includes(key);
  const notes = () => logLines.filter((line) => isAboutIt(line) && line.includes('message handled'));
  const put = async (body: string | Uint8Array<ArrayBuffer>) =>
    expect(
      (await fetch(uploadUrl, { method: 'PUT', body, headers: { 'content-type': file.contentType } })).status,
    ).toBe(200);
  return { analysis, notes, put, key, queue: queueOf(tenant.environment, 'confirmArtifact') };
}

describe('§2.4 An uploaded trace', () => {
  test('An uploaded trace adds its console entries and network requests only to the failure context of its attempt', async () => {
    const { analysis, put } = await stage(failed());
    expect(await analysis(1)).toBeNull();
    await put(new Uint8Array(await readFile(TRACE_FILE)));
    await expect
      .poll(() => analysis(1))
      .toMatchObject({
        consoleEntries: expected.consoleEntries.map(({ time, messageType }) => ({ time, messageType })),
        networkRequests: expected.networkRequests.map(({ time, status, method }) => ({ time, status, method })),
      });
    expect(await analysis(0)).toBeNull();
  });

  test('An uploaded trace is not analyzed if its test passed', async () => {
    const { notes, put } = await stage(passed());
    await put(new Uint8Array(await readFile(TRACE_FILE)));
    await expect.poll(notes).toHaveLength(1);
    expect(notes()[0]).toContain('"trace":"not needed"');
  });

  test('If an uploaded trace no longer exists when its message is processed, this is logged, and the message leaves the queue', async () => {
    const { analysis, notes, key, queue } = await stage(failed());
    await queue.send(JSON.stringify({ Records: [{ s3: { object: { key, size: 1000 } } }] }));
    await expect.poll(notes).toHaveLength(1);
    expect(notes()[0]).toContain('"upload":"gone"');
    await expect.poll(queue.count).toBe(0);
    expect(await queue.deadLetters()).toBe(0);
    expect(await analysis(1)).toBeNull();
  });

  test.each([
    ['is not an archive', async () => 'no archive'],
    ['is truncated', async () => new Uint8Array((await readFile(TRACE_FILE)).subarray(0, 900))],
  ])('An uploaded trace that %s is refused and logged, and its message leaves the queue', async (_, body) => {
    const { analysis, notes, put, queue } = await stage(failed());
    await put(await body());
    await expect.poll(notes).toHaveLength(1);
    expect(notes()[0]).toContain('"trace":"refused"');
    await expect.poll(queue.count).toBe(0);
    expect(await queue.deadLetters()).toBe(0);
    expect(await analysis(1)).toBeNull();
  });
});
