import { describe, expect, test, vi } from 'vitest';
import { queueOf } from '#test/harness/queues.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { rowsOfRun } from '#test/harness/recording-rows.ts';
import { logLines, service } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > sums';
const TRACE = { artifactId: 'trace-1', type: 'trace', name: 'trace', attemptId: 0, contentType: 'application/zip' };
const OUTPUT = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };

/** Announces a trace of a failed test and the output of its spec file to the service, without uploading them. */
async function announced() {
  // The object store checks the expiry of signed links against the real clock.
  vi.useRealTimers();
  const setting = await service();
  const { api, environment } = setting;
  const { runId, records, instances } = await recordRun(setting, { retail: { tests: { [TEST]: failed() } } });
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  const announce = async (path: string, body: object): Promise<string> => {
    const answer = await api.post(path, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.uploadUrl;
  };
  const announceTrace = () => announce(`@/artifacts/test-record/${records[`retail ${TEST}`]}`, TRACE);
  const announceOutput = () => announce(`@/artifacts/instance/${instanceId}`, OUTPUT);
  return {
    ...setting,
    instanceId,
    announceTrace,
    announceOutput,
    links: { trace: await announceTrace(), output: await announceOutput() },
    queue: queueOf(environment, 'confirmArtifact'),
    rows: () => rowsOfRun(environment, runId),
    bytes: async () => {
      const { results } = await read(api, `/instances/${instanceId}`);
      return { trace: results.playwrightTraces[0].bytes, output: results.stdout.bytes };
    },
  };
}

async function put(link: string, body: string | Uint8Array<ArrayBuffer>, type = 'text/plain'): Promise<void> {
  expect((await fetch(link, { method: 'PUT', body, headers: { 'content-type': type } })).status).toBe(200);
}
const ZIP = TRACE.contentType;

describe('GET /instances/{instanceId}', () => {
  test('shows the size of each file after the file has been uploaded', async () => {
    const { links, bytes } = await announced();
    expect(await bytes()).toEqual({ trace: null, output: null });
    await put(links.trace, new Uint8Array(70_000), ZIP);
    await expect.poll(bytes).toEqual({ trace: 70_000, output: null });
    await put(links.output, 'ünïcode');
    await expect.poll(bytes).toEqual({ trace: 70_000, output: 9 });
  });

  test('shows an uploaded empty file with a size of 0', async () => {
    const { links, bytes } = await announced();
    await put(links.output, '');
    await expect.poll(bytes).toEqual({ trace: null, output: 0 });
  });

  test('shows the sizes of files that a batch upload announced', async () => {
    vi.useRealTimers();
    const setting = await service();
    const file = { path: 'out/stdout.txt', type: 'stdout', name: 'stdout', contentType: 'text/plain' };
    const instance = batchInstance('unit', 'cart.spec.ts', { [TEST]: passed() }, { artifacts: [file] });
    const { runId, artifactUploadUrls } = await upload(setting, [suiteGroup('unit', [TEST])], [instance]);
    await put(artifactUploadUrls[0].uploadUrl, 'passed');
    const [{ instanceId }] = (await read(setting.api, `/runs/${runId}`)).specs;
    const output = async () => (await read(setting.api, `/instances/${instanceId}`)).results.stdout.bytes;
    await expect.poll(output).toBe(6);
  });
});

describe('An upload notification', () => {
  test('Upload notifications change nothing when the same file is uploaded again', async () => {
    const { links, bytes, queue, rows } = await announced();
    await put(links.trace, 'trace', ZIP);
    await expect.poll(bytes).toMatchObject({ trace: 5 });
    // The size is stored before the list of files.
    await expect.poll(queue.count).toBe(0);
    const before = await rows();
    for (let time = 0; time < 3; time++) await put(links.trace, 'trace', ZIP);
    await expect.poll(queue.count).toBe(0);
    expect(await rows()).toEqual(before);
  });

  test('The size of an uploaded file is kept when the same file is announced again', async () => {
    const { links, bytes, announceTrace, announceOutput } = await announced();
    await put(links.trace, 'trace', ZIP);
    await put(links.output, 'out');
    await expect.poll(bytes).toEqual({ trace: 5, output: 3 });
    await announceTrace();
    await announceOutput();
    expect(await bytes()).toEqual({ trace: 5, output: 3 });
  });

  test('is acknowledged without writing a row if the file was never announced', async () => {
    const { services, organizationId, instanceId, queue, rows } = await announced();
    const before = await rows();
    const names = [`${organizationId}/${instanceId}/unknown`, instanceId, `${organizationId}/${instanceId}/a/b`];
    for (const key of names.flatMap((name) => [name, `uploads/${name}`])) {
      await put(await services.artifacts.uploadUrl(key), 'x');
    }
    await expect.poll(queue.count).toBe(0);
    expect(await queue.deadLetters()).toBe(0);
    expect(await rows()).toEqual(before);
  });

  test('moves to the dead-letter queue after five failures, and does not delay other notifications', async () => {
    const { links, bytes, queue } = await announced();
    await queue.retryAfter(1);
    await queue.send('no JSON');
    await queue.send(JSON.stringify({ Records: [{ s3: { object: {} } }] }));
    await put(links.trace, 'trace', ZIP);
    await expect.poll(bytes).toMatchObject({ trace: 5 });
    expect(await queue.deadLetters()).toBe(0);
    await expect.poll(queue.deadLetters).toBe(2);
    expect(await queue.count()).toBe(0);
    const failures = logLines.filter((line) => line.includes('"message failed"'));
    expect(failures).toHaveLength(10);
  });
});
