import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptsGzip } from '#shared/engine/http/accept.ts';
import { cases } from '#test/harness/cases.ts';
import { noise } from '#test/harness/noise.ts';
import { batchInstance, correctTest, upload, uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, suiteGroup } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { send } from './wire.ts';

const STACK_CHARACTERS = 65_536;
const SPEC = 'large.spec.ts';

/** Uploads an instance with one failed test per stack, and returns the id of the instance. */
async function instanceWith(tenant: Tenant, stacks: readonly string[]): Promise<string> {
  const names = stacks.map((_, index) => `${SPEC} > test ${index}`);
  const tests = stacks.map((stack, index) => {
    const attempts = [attempt('failed', { errors: [{ ...error('Error: too much'), stack }] })];
    return [names[index] ?? '', failed({ attempts })] as const;
  });
  const suite = [suiteGroup('retail', names)];
  const { runId } = await upload(tenant, suite, [batchInstance('retail', SPEC, Object.fromEntries(tests))]);
  const run = (await tenant.api.get(`/runs/${runId}`)).body.data;
  expect(run.specs).toMatchObject([{ results: { stats: { failures: stacks.length } } }]);
  return run.specs[0].instanceId;
}

async function read({ origin, keys }: Tenant & { origin: string }, instanceId: string, acceptEncoding: string) {
  const headers = [
    ['authorization', `Bearer ${keys.readOnly}`],
    ['accept-encoding', acceptEncoding],
  ] as const;
  const {
    status,
    headers: got,
    body,
  } = await send(origin, { method: 'GET', path: `/v1/instances/${instanceId}`, headers });
  const text = got['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  return { status, sentBytes: body.length, bytes: text.length, body: JSON.parse(text.toString()) };
}

/** Uploads one failed test per stack, and another failed test whose stack can be replaced. */
async function stageWith(stacks: readonly string[]) {
  const tenant = await service();
  const last = `${SPEC} > last`;
  const failing = (stack: string) =>
    failed({ attempts: [attempt('failed', { errors: [{ ...error('Error: too much'), stack }] })] });
  const names = stacks.map((_, index) => `${SPEC} > test ${index}`);
  const tests = Object.fromEntries(names.map((name, index) => [name, failing(stacks[index] ?? '')]));
  const { instances } = await uploadRun(tenant, { ...tests, [last]: failing('') }, { ciBuildId: 'large' });
  const replace = (stack: string) => correctTest(tenant, 'large', last, failing(stack));
  return { tenant, instanceId: instances[`retail ${SPEC}`] ?? '', replace };
}

const TOO_LARGE = {
  status: 413,
  body: { status: 'FAILED', error: expect.stringContaining('Accept-Encoding: gzip') },
};

describe('§4, §7 A response near the size limit of Lambda', () => {
  test('A response near the size limit of Lambda is sent whole or refused with 413, and always fits with gzip', async () => {
    // The response contains 48 stacks, each of them twice. The size of the last stack decides whether the response
    // exceeds the limit.
    const full = Array.from({ length: 47 }, () => 'x'.repeat(STACK_CHARACTERS));
    const { tenant, instanceId, replace } = await stageWith(full);
    const seen: { status: number; bytes: number }[] = [];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: STACK_CHARACTERS }), async (characters) => {
        await replace('x'.repeat(characters));
        const plain = await read(tenant, instanceId, 'identity');
        if (plain.status !== 200) expect(plain).toMatchObject(TOO_LARGE);
        const packed = await read(tenant, instanceId, 'gzip');
        expect(packed.status).toBe(200);
        expect(packed.body.data.results.tests).toHaveLength(48);
        seen.push({ status: plain.status, bytes: packed.bytes });
      }),
      { numRuns: cases(8, 2), examples: [[5000], [6000], [STACK_CHARACTERS], [5500], [0]] },
    );
    const largest = (status: number) =>
      Math.max(...seen.filter((one) => one.status === status).map(({ bytes }) => bytes));
    expect(largest(200)).toBeGreaterThan(6_000_000);
    expect(largest(413)).toBeGreaterThan(largest(200));
  });

  test('The size limit applies to a response as Lambda measures it: as JSON, in which the JSON body is escaped again', async () => {
    const tenant = await service();
    const stacks = Array.from({ length: 16 }, () => '"'.repeat(STACK_CHARACTERS));
    const instanceId = await instanceWith(tenant, stacks);
    expect(await read(tenant, instanceId, 'identity')).toMatchObject(TOO_LARGE);
    const { status, bytes } = await read(tenant, instanceId, 'gzip');
    expect(status).toBe(200);
    expect(bytes).toBeLessThan(4_500_000);
  });

  test('An instance whose response exceeds the limit even with gzip can be read in pages', async () => {
    const tenant = await service();
    const stacks = Array.from({ length: 50 }, () =>
      noise(STACK_CHARACTERS).toString('base64').slice(0, STACK_CHARACTERS),
    );
    const instanceId = await instanceWith(tenant, stacks);
    const whole = await read(tenant, instanceId, 'gzip');
    expect(whole).toMatchObject({
      status: 413,
      body: { error: 'The instance is too large for one response. Read its tests in pages with `limit` and `page`' },
    });
    const seen: string[] = [];
    for (const page of [0, 1]) {
      const { status, body } = await read(tenant, `${instanceId}?limit=30&page=${page}`, 'gzip');
      expect(status).toBe(200);
      const { stats, tests } = body.data.results;
      expect(stats).toMatchObject({ tests: 50, failures: 50 });
      expect(Object.keys(body.data.testTags).sort()).toEqual(tests.map((one: { testId: string }) => one.testId).sort());
      seen.push(...tests.map((one: { displayError: string; testId: string }) => one.testId));
      for (const one of tests) expect(stacks).toContain(one.attempts[0].error.stack);
    }
    expect(new Set(seen).size).toBe(50);
    expect(seen).toHaveLength(50);
  });

  test('The error for an oversized response suggests gzip and pages, and requests with either of them succeed', async () => {
    const tenant = await service();
    const errors = Array.from({ length: 20 }, () => ({ ...error('Error: too much'), stack: '\u0001'.repeat(5500) }));
    const names = Array.from({ length: 8 }, (_, index) => `${SPEC} > test ${index}`);
    const tests = Object.fromEntries(
      names.map((name) => [name, failed({ attempts: [attempt('failed', { errors })] })]),
    );
    const { runId } = await upload(tenant, [suiteGroup('retail', names)], [batchInstance('retail', SPEC, tests)]);
    const { instanceId } = (await tenant.api.get(`/runs/${runId}`)).body.data.specs[0];
    const refusal = async (query: string) => (await read(tenant, `${instanceId}${query}`, 'identity')).body.error;
    const pages = 'read its tests in pages with `limit` and `page`';
    expect(await refusal('')).toBe(
      `The instance is too large for one response. Send \`Accept-Encoding: gzip\`, or ${pages}`,
    );
    expect((await read(tenant, `${instanceId}?limit=1`, 'identity')).status).toBe(200);
    expect((await read(tenant, instanceId, 'gzip')).status).toBe(200);
  });
});

describe('Accept-Encoding', () => {
  test.each([
    ['gzip', true],
    ['GZIP', true],
    ['br, gzip;q=0.1', true],
    ['x-gzip', true],
    ['*', true],
    ['deflate, *;q=0.5', true],
    ['', false],
    ['identity', false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip; q=0.0, *', false],
    ['*;q=0', false],
    ['gzip;q=broken', false],
    ['gzipped', false],
  ])('The `Accept-Encoding` header %j allows gzip: %s', (value, allowed) => {
    expect(acceptsGzip(value)).toBe(allowed);
  });
});
