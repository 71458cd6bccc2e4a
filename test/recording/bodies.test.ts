import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Answer, Client } from '#test/harness/client.ts';
import { createRecord, firstMessage } from '#test/harness/recording.ts';
import { uploadBody } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, passed, runBody, running } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { claimedRun, DONE, NO_SUCH_RECORD, type Setting, SUITE } from './operations.ts';

const MEGABYTE = 1024 * 1024;
const CAP = 32 * MEGABYTE;

type Bytes = string | Uint8Array<ArrayBuffer>;
const gzip = (text: Bytes): Bytes => Uint8Array.from(gzipSync(text));

/** Every operation that takes a body. */
const routes = (runId: string, instanceId: string) =>
  [
    ['POST', '@/runs/v1'],
    ['POST', `@/runs/${runId}/pw/instances/v1`],
    ['POST', '@/test-record'],
    ['PUT', `@/test-record/${NO_SUCH_RECORD}`],
    ['POST', `@/artifacts/test-record/${NO_SUCH_RECORD}`],
    ['POST', `@/artifacts/instance/${instanceId}`],
    ['POST', '/runs'],
  ] as const;

async function sendToAll(setting: Setting, body: Bytes | undefined, headers: Record<string, string> = {}) {
  const { runId, instanceId } = await claimedRun(setting);
  const answers: Answer[] = [];
  for (const [method, path] of routes(runId, instanceId)) {
    const options = { headers: { 'content-type': 'application/json', ...headers } };
    answers.push(await setting.api.send(method, path, body, options));
  }
  return answers.map(({ status, body: { status: word, error: said } }) => ({ status, word, said }));
}

const refused = (status: number, said: RegExp) =>
  Array.from({ length: 7 }, () => ({ status, word: 'FAILED', said: expect.stringMatching(said) }));

describe('a body that no operation can take', () => {
  test.each([
    ['text', 'hello', {}, 400, /not valid JSON\. Send one JSON object/],
    ['half a document', '{"projectId": "a', {}, 400, /not valid JSON/],
    ['nothing', undefined, {}, 400, /no body\. Send one JSON object/],
    ['bytes that are not gzip', 'hello', { 'content-encoding': 'gzip' }, 400, /does not decode\. Send it as is/],
    ['half a gzip body', gzip('{}').slice(0, 15), { 'content-encoding': 'gzip' }, 400, /does not decode/],
    ['an encoding nobody announced', '{}', { 'content-encoding': 'br' }, 400, /Content-Encoding: gzip/],
    [
      'JSON nested too deeply',
      `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
      {},
      400,
      /deeper than 100 levels\. Send a flatter/,
    ],
    ['JSON too deep for a parser', '['.repeat(3_000_000), {}, 400, /not valid JSON|deeper than/],
    ['a gzip bomb', gzip(Buffer.alloc(CAP + 1, ' ')), { 'content-encoding': 'gzip' }, 413, /larger than \d+ bytes/],
  ] as const)('%s is refused in the shape of §7', async (_, body, headers, status, said) => {
    const setting = await service();
    expect(await sendToAll(setting, body, headers)).toEqual(refused(status, said));
  });

  test.each(['null', '3', '"text"', '[]'])('%s is JSON, but no object', async (body) => {
    expect(await sendToAll(await service(), body)).toEqual(refused(400, /object/));
  });

  test('an empty object misses what it has to say, and the refusal names it', async () => {
    expect(await sendToAll(await service(), '{}')).toEqual(refused(400, /`\w+` is required/));
  });
});

describe('a member of the wrong type', () => {
  const create = ({ projectId }: Setting, more: object) => runBody(projectId, SUITE, more);
  test.each([
    ['projectId', { projectId: 7 }],
    ['ciBuildId', { ciBuildId: { value: 'x' } }],
    ['group', { group: '' }],
    ['group', { group: 'x'.repeat(257) }],
    ['fullTestSuite', { fullTestSuite: 'all' }],
    ['fullTestSuite[0].tests[0].spec', { fullTestSuite: [{ name: 'retail', tests: [{ testId: 'a', spec: null }] }] }],
  ])('of a run (%s) is a 400 that names it', async (name, more) => {
    const setting = await service();
    const { status, body } = await setting.api.post('@/runs/v1', create(setting, more));
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining(`\`${name}\``) });
    const upload = { ...uploadBody(setting, SUITE, []), ...more };
    expect(await setting.api.post('/runs', upload)).toMatchObject({ status: 400, body: { error: body.error } });
  });

  test.each([
    ['_s', { _s: 'flaky' }],
    ['_d', { _d: 'yes' }],
    ['_t', { _t: -1 }],
    ['_t', { _t: 1.5 }],
    ['title', { title: [] }],
    ['title[0]', { title: [7] }],
    ['attempts', { attempts: {} }],
    ['attempts[0]._s', { attempts: [{ ...attempt('passed'), _s: 'green' }] }],
    ['annotations[0].type', { annotations: [{ type: null }] }],
  ])('of a test message (%s) is a 400 that names it', async (name, more) => {
    const setting = await service();
    const message = { ...firstMessage(await claimedRun(setting), DONE, passed()), ...more };
    const { status, body } = await setting.api.post('@/test-record', message);
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining(`\`${name}\``) });
  });

  test('of a test of a batch is a 400 that says which test of which instance', async () => {
    const setting = await service();
    const instances = [
      { groupId: 'retail', spec: 'cart.spec.ts', results: { tests: [{ testId: 'a', state: 'green' }] } },
    ];
    const { status, body } = await setting.api.post('/runs', uploadBody(setting, SUITE, instances));
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: expect.stringContaining('`instances[0].results.tests[0].'),
    });
  });
});

describe('a body that is large or odd', () => {
  const post = (api: Client, message: object) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    return api.send('POST', '@/test-record', gzip(JSON.stringify(message)), { headers });
  };

  test('is taken compressed a thousand to one: reporters do not cap standard output', async () => {
    const setting = await service();
    const stdout = Array.from({ length: 20 }, () => 'x'.repeat(MEGABYTE));
    const state = passed({ attempts: [attempt('passed', { stdout })] });
    expect(await post(setting.api, firstMessage(await claimedRun(setting), DONE, state))).toMatchObject({
      status: 200,
    });
  });

  test('may have members, types and texts that only a later client knows', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const message = { ...firstMessage(claimed, DONE, passed()), brandNew: { deep: [1] }, ['__proto__x']: 1 };
    expect(await setting.api.post('@/test-record', message)).toMatchObject({ status: 200 });
    expect(({} as Record<string, unknown>)['deep']).toBeUndefined();
  });

  test('has its long texts cut, its long lists shortened, and its half characters replaced', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const half = `cut \ud83d`;
    const errors = Array.from({ length: 25 }, () => error('m'.repeat(40_000)));
    const state = failed({
      attempts: Array.from({ length: 60 }, (_, index) =>
        attempt('failed', { attempt: index, errors: index === 0 ? errors : [] }),
      ),
      tags: [half, 't'.repeat(500), ...Array.from({ length: 300 }, (_, index) => `tag-${index}`)],
      annotations: Array.from({ length: 40 }, () => ({ type: 'x'.repeat(300), description: 'y'.repeat(3000) })),
    });
    await createRecord(setting, claimed, DONE, state);
    const { results } = await read(setting.api, `/instances/${claimed.instanceId}`);
    const [test] = results.tests;
    expect(test.attempts).toHaveLength(50);
    expect(test.attempts[0].errors).toHaveLength(20);
    expect(test.displayError).toBe('m'.repeat(32_768));
    expect(test.tags).toContain('cut \ufffd');
    expect(Math.max(...test.tags.map((tag: string) => tag.length))).toBe(128);
    expect(test.annotations).toHaveLength(32);
    expect(test.annotations[0]).toEqual({ type: 'x'.repeat(256), description: 'y'.repeat(2048) });
  });

  test('with a title of halves of characters has a history of its own', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const message = { ...firstMessage(claimed, DONE, passed()), title: ['\ud83d', 'x'], testId: 'odd' };
    expect((await setting.api.post('@/test-record', message)).status).toBeLessThan(500);
    expect(await historyOf(setting, { spec: 'cart.spec.ts', title: ['\ufffd', 'y'] })).toEqual([]);
  });

  test('with times, durations and indexes that make no sense is recorded without them', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const odd = { startTime: 'yesterday', duration: -1, workerIndex: 'x', parallelIndex: null };
    const attempts = [
      { ...attempt('passed'), ...odd },
      { ...attempt('passed'), startTime: 1e300, duration: 1e15 },
    ];
    const message = { ...firstMessage(claimed, DONE, running()), _d: true, _s: 'passed', attempts };
    expect(await setting.api.post('@/test-record', message)).toMatchObject({ status: 200 });
    const { results } = await read(setting.api, `/instances/${claimed.instanceId}`);
    expect(results.tests[0].attempts).toMatchObject([
      { wallClockStartedAt: null, wallClockDuration: 0, workerIndex: -1, parallelIndex: -1 },
      { wallClockStartedAt: null },
    ]);
  });
});
