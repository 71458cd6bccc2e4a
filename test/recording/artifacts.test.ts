import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { confirmed } from '#test/harness/downloads.ts';
import { claim, createRecord, recordRun, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > cart > sums';

/**
 * Records a failed test to which files can be added. The clock is real, because the object store checks the expiry of
 * links against the real time.
 */
async function setting() {
  vi.useRealTimers();
  const tenant = await service();
  const run = await startRun(tenant, [suiteGroup('retail', [TEST])]);
  const claimed = await claim(tenant, run, 'cart.spec.ts');
  const recordId = await createRecord(tenant, claimed, TEST, failed());
  const announce = async (more: object) => {
    const file = { type: 'attachment', name: 'cart', artifactId: 'a1', attemptId: 1, contentType: 'application/json' };
    const answer = await tenant.api.post(`@/artifacts/test-record/${recordId}`, { ...file, ...more });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.uploadUrl;
  };
  const results = async () => (await read(tenant.api, `/instances/${claimed.instanceId}`)).results;
  return { tenant, claimed, announce, results };
}

/** Uploads a file with the `content-disposition` header that reporters send. */
async function put(url: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
  const response = await fetch(url, {
    method: 'PUT',
    body,
    headers: { 'content-disposition': 'inline', ...headers },
  });
  expect(response.status, await response.text()).toBe(200);
}

async function download(url: string) {
  const response = await confirmed(url);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    disposition: response.headers.get('content-disposition'),
    bytes: await response.text(),
  };
}

describe('A file of a test', () => {
  test('is uploaded with its upload link, and read with the link that its instance contains', async () => {
    const { announce, results } = await setting();
    await put(await announce({ filename: 'my cart.json' }), '[{"pieces":3}]', { 'content-type': 'application/json' });
    const { attachments } = await results();
    expect(attachments).toMatchObject([
      {
        id: 'a1',
        name: 'cart',
        filename: 'my cart.json',
        contentType: 'application/json',
        testAttemptIndex: 1,
        createdAt: expect.any(String),
      },
    ]);
    expect(await download(attachments[0].readUrl)).toEqual({
      status: 200,
      type: 'application/json',
      disposition: "attachment; filename*=UTF-8''my%20cart.json",
      bytes: '[{"pieces":3}]',
    });
  });

  test.each([
    ['screenshot', 'screenshots', 'screenshotURL'],
    ['video', 'videos', 'videoUrl'],
    ['trace', 'playwrightTraces', 'traceURL'],
    ['attachment', 'attachments', 'readUrl'],
    ['something new', 'attachments', 'readUrl'],
  ])('A file of the type %s is listed under %s', async (type, list, link) => {
    const { announce, results } = await setting();
    await put(await announce({ type, contentType: 'image/png' }), 'bytes', { 'content-type': 'image/png' });
    const found = (await results())[list];
    expect(found).toHaveLength(1);
    expect(found[0].testAttemptIndex).toBe(1);
    expect(await download(found[0][link])).toMatchObject({ status: 200, type: 'image/png', bytes: 'bytes' });
  });

  test('can be read even if its announced content type is unusual, and keeps the parameters of the type if they are printable ASCII', async () => {
    const { announce, results } = await setting();
    const sent = {
      plain: 'text/plain; charset=utf-8',
      umlaut: 'text/plain; charset=utf-8; name="\u00e4.txt"',
      lines: 'text/plain;\r\nSet-Cookie: a=b',
      control: 'text/plain; x=\u0000\u007f',
      emoji: 'text/plain; name=\u{1F600}',
      unusable: 'text/pl\u00e4in',
    };
    const expected = { ...Object.fromEntries(Object.keys(sent).map((id) => [id, 'text/plain'])), plain: sent.plain };
    for (const [artifactId, contentType] of Object.entries(sent))
      await put(await announce({ artifactId, contentType }), artifactId, { 'content-type': 'text/plain' });
    const { attachments } = await results();
    const files = attachments.map((file: { id: string; readUrl: string }) => [file.id, file.readUrl]);
    const read: Record<string, unknown> = {};
    for (const [id, url] of files)
      read[id] = await download(url).then(({ status, type, bytes }) => [status, type, bytes]);
    expect(read).toEqual(
      Object.fromEntries(
        Object.entries({ ...expected, unusable: 'application/octet-stream' }).map(([id, type]) => [
          id,
          [200, type, id],
        ]),
      ),
    );
  });

  test('keeps a hostile file name, which cannot inject headers into the download', async () => {
    const { announce, results } = await setting();
    const filename = '../..\\"\r\nSet-Cookie: a=b; \u202e % # ? ä.txt';
    await put(await announce({ filename, artifactId: '../../x' }), 'bytes', { 'content-type': 'application/json' });
    const { attachments } = await results();
    expect(attachments[0].filename).toBe(filename);
    const { status, disposition, bytes } = await download(attachments[0].readUrl);
    expect({ status, bytes }).toEqual({ status: 200, bytes: 'bytes' });
    expect(decodeURIComponent(disposition?.split("''")[1] ?? '')).toBe(filename);
  });

  test('cannot be uploaded, replaced, read or deleted without a link signed for that action', async () => {
    const { announce, results } = await setting();
    const url = new URL(await announce({}));
    await put(url.href, 'bytes', { 'content-type': 'application/json' });
    const [file] = (await results()).attachments;
    const bare = new URL(file.readUrl);
    bare.search = '';
    const elsewhere = new URL(url.href);
    elsewhere.pathname += 'x';
    expect((await fetch(bare)).status).toBe(403);
    expect((await fetch(elsewhere, { method: 'PUT', body: 'evil' })).status).toBe(403);
    expect((await fetch(file.readUrl, { method: 'PUT', body: 'evil' })).status).toBe(403);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
  });
});

describe('Standard output', () => {
  test('can be uploaded in compressed form, and is returned as plain text', async () => {
    const { tenant, claimed, results } = await setting();
    const body = { name: 'stdout', type: 'stdout', contentType: 'text/plain' };
    const { uploadUrl } = (await tenant.api.post(`@/artifacts/instance/${claimed.instanceId}`, body)).body;
    const text = 'cart holds 1 article\n'.repeat(1000);
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    await put(uploadUrl, Uint8Array.from(gzipSync(text)), headers);
    const { stdout } = await results();
    expect(await download(stdout.readUrl)).toMatchObject({ status: 200, type: 'text/plain', bytes: text });
  });

  test('is null in the API if none was announced', async () => {
    const tenant = await service();
    const { instances } = await recordRun(tenant, { retail: { tests: { [TEST]: passed() } } });
    expect((await read(tenant.api, `/instances/${instances['retail cart.spec.ts']}`)).results.stdout).toBeNull();
  });
});

describe('Files of a batch', () => {
  const artifact = (path: string, type: string, more: object = {}) => ({
    path,
    type,
    contentType: 'text/plain',
    ...more,
  });

  test('The files of a batch upload each get an upload link, and are listed with their spec file, test or attempt', async () => {
    vi.useRealTimers();
    const tenant = await service();
    const attempts = [attempt('failed'), attempt('passed', { artifacts: [artifact('a/attempt.txt', 'attachment')] })];
    const state = {
      ...passed({ attempts }),
      artifacts: [artifact('a/test.txt', 'attachment', { name: 'Of the test' })],
    };
    const instance = batchInstance(
      'unit',
      'cart.spec.ts',
      { [TEST]: state },
      { artifacts: [artifact('a/out.txt', 'stdout')] },
    );
    const { runId, artifactUploadUrls } = await upload(tenant, [suiteGroup('unit', [TEST])], [instance], {
      group: 'unit',
    });
    expect(artifactUploadUrls.map(({ path }: { path: string }) => path).sort()).toEqual([
      'a/attempt.txt',
      'a/out.txt',
      'a/test.txt',
    ]);
    for (const { path, uploadUrl } of artifactUploadUrls) {
      await fetch(uploadUrl, { method: 'PUT', body: `bytes of ${path}`, headers: { 'content-type': 'text/plain' } });
    }
    const { specs } = await read(tenant.api, `/runs/${runId}`);
    const { attachments, stdout } = (await read(tenant.api, `/instances/${specs[0].instanceId}`)).results;
    const bytes = async (url: string) => (await download(url)).bytes;
    expect(await bytes(stdout.readUrl)).toBe('bytes of a/out.txt');
    const [ofTest, ofAttempt] = attachments.sort((one: { name: string }) => (one.name === 'Of the test' ? -1 : 1));
    expect([ofTest.filename, ofAttempt.name, ofAttempt.testAttemptIndex]).toEqual(['test.txt', 'attempt.txt', 1]);
    expect(await bytes(ofTest.readUrl)).toBe('bytes of a/test.txt');
    expect(await bytes(ofAttempt.readUrl)).toBe('bytes of a/attempt.txt');
    for (const { path, readUrl } of artifactUploadUrls) expect(await bytes(readUrl)).toBe(`bytes of ${path}`);
  });
});
