import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { sampled } from '#test/harness/cases.ts';
import type { Answer } from '#test/harness/client.ts';
import { firstMessage } from '#test/harness/recording.ts';
import { uploadBody } from '#test/harness/recording-batch.ts';
import { attempt, passed, runBody } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { claimedRun, DONE, NO_SUCH_RECORD, type Setting, SUITE } from './operations.ts';

type Bytes = string | Uint8Array<ArrayBuffer>;
const gzip = (text: Bytes): Bytes => Uint8Array.from(gzipSync(text));

/** Recording operations that accept a body. */
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

async function prepared() {
  const setting = await service();
  return { setting, claimed: await claimedRun(setting) };
}

let stage: ReturnType<typeof prepared> | undefined;
/** Refused bodies change nothing, so all tests share one claimed spec file. */
const prepare = () => (stage ??= prepared());

/**
 * Sends the body to all operations in `npm run test:deep`, and to every third operation in `npm test`, where different
 * kinds of bodies go to different operations.
 */
async function sendToAll(row: number, body: Bytes | undefined, headers: Record<string, string> = {}) {
  const { setting, claimed } = await prepare();
  const { runId, instanceId } = claimed;
  const answers: Answer[] = [];
  for (const [method, path] of sampled(routes(runId, instanceId), 3, row)) {
    const options = { headers: { 'content-type': 'application/json', ...headers } };
    answers.push(await setting.api.send(method, path, body, options));
  }
  return answers.map(({ status, body: { status: word, error: said } }) => ({ status, word, said }));
}

const refused = (row: number, status: number, said: RegExp) =>
  sampled(routes('', ''), 3, row).map(() => ({ status, word: 'FAILED', said: expect.stringMatching(said) }));

const INVALID = [
  ['text', 'hello', {}, 400, /not valid JSON\. Send one JSON object/],
  ['half a document', '{"projectId": "a', {}, 400, /not valid JSON/],
  ['nothing', undefined, {}, 400, /no body\. Send one JSON object/],
  ['bytes that are not gzip', 'hello', { 'content-encoding': 'gzip' }, 400, /cannot be decoded\. Send it uncompressed/],
  ['half a gzip body', gzip('{}').slice(0, 15), { 'content-encoding': 'gzip' }, 400, /cannot be decoded/],
  ['an unsupported encoding', '{}', { 'content-encoding': 'br' }, 400, /Content-Encoding: gzip/],
  [
    'JSON nested too deeply',
    `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
    {},
    400,
    /deeper than 100 levels\. Send a flatter/,
  ],
  ['JSON too deep for a parser', '['.repeat(1_000_000), {}, 400, /not valid JSON|deeper than/],
  [
    'a gzip bomb',
    gzip(Buffer.alloc(BODY_LIMITS.bytes + 1, ' ')),
    { 'content-encoding': 'gzip' },
    413,
    /exceeds \d+ bytes/,
  ],
] as const;
const OTHER_JSON = ['null', '3', '"text"', '[]'];

describe('An invalid body', () => {
  test.each(INVALID.map((row, index) => [...row, index] as const))(
    'The invalid body "%s" is refused by recording operations in the error format of the API',
    async (_, body, headers, status, said, row) => {
      expect(await sendToAll(row, body, headers)).toEqual(refused(row, status, said));
    },
  );

  test.each(OTHER_JSON.map((body, row) => [body, row] as const))(
    'The body %s is refused because it is not a JSON object',
    async (body, row) => {
      expect(await sendToAll(row, body)).toEqual(refused(row, 400, /object/));
    },
  );

  test('An empty JSON object is refused, and the error names a required property', async () => {
    for (const row of [0, 1, 2]) expect(await sendToAll(row, '{}')).toEqual(refused(row, 400, /`\w+` is required/));
  });
});

describe('Properties of the wrong type', () => {
  const create = ({ projectId }: Setting, more: object) => runBody(projectId, SUITE, more);
  test.each([
    ['projectId', { projectId: 7 }],
    ['ciBuildId', { ciBuildId: { value: 'x' } }],
    ['group', { group: '' }],
    ['fullTestSuite', { fullTestSuite: 'all' }],
    ['fullTestSuite[0].tests[0].spec', { fullTestSuite: [{ name: 'retail', tests: [{ testId: 'a', spec: null }] }] }],
  ])('A wrong `%s` in a run is refused, and the error names it', async (name, more) => {
    const { setting } = await prepare();
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
  ])('A wrong `%s` in a test message is refused, and the error names it', async (name, more) => {
    const { setting, claimed } = await prepare();
    const message = { ...firstMessage(claimed, DONE, passed()), ...more };
    const { status, body } = await setting.api.post('@/test-record', message);
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining(`\`${name}\``) });
  });
});
