import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { send } from '#test/engine/http/wire.ts';
import { noise } from '#test/harness/noise.ts';
import { correctTest, uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, failed } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const MEGABYTE = 1024 * 1024;
const SPEC = 'cart.spec.ts';
const PIECE_CHARACTERS = 60_000;

const saying = (text: string) => failed({ attempts: [attempt('failed', { attempt: 0, stdout: [text] })] });

/** Records one failed test per output in `pieces`, and one more failed test, whose output `say` replaces. */
async function stage(pieces: readonly string[]) {
  const tenant = await service();
  const names = pieces.map((_, index) => `${SPEC} > fails ${index}`);
  const tests = Object.fromEntries(names.map((name, index) => [name, saying(pieces[index] ?? '')]));
  const last = `${SPEC} > fails last`;
  const run = await uploadRun(tenant, { ...tests, [last]: saying('') }, { ciBuildId: 'large' });
  const say = (text: string) => correctTest(tenant, 'large', last, saying(text));
  const ask = (encoding: string, more = '') => {
    const headers = [
      ['authorization', `Bearer ${tenant.keys.readOnly}`],
      ['accept-encoding', encoding],
    ] as const;
    return send(tenant.origin, { method: 'GET', path: `/v1/context?run_id=${run.runId}&limit=50${more}`, headers });
  };
  return { say, ask };
}

describe('§4.3 A failure context', () => {
  test('A failure context of exactly the maximum size is returned in full, and one that is a byte larger is refused with suggestions that make it small enough', async () => {
    const { say, ask } = await stage(Array.from({ length: 17 }, () => 'x'.repeat(PIECE_CHARACTERS)));
    const room = MEGABYTE - (await ask('identity')).body.length;
    expect(room).toBeGreaterThan(1000);
    let refused = '';
    for (const over of [-1, 0, 1]) {
      await say('x'.repeat(room + over));
      const { status, body } = await ask('identity');
      expect({ over, status }).toEqual({ over, status: over > 0 ? 413 : 200 });
      if (status === 200) expect(body).toHaveLength(MEGABYTE + over);
      else refused = JSON.parse(body.toString()).error;
    }
    expect(refused).toBe(
      'The failure context is too large for one response. Send `Accept-Encoding: gzip`, or request less detail with `detail=compact` or `detail=summary`, or request fewer tests with `limit`, or request Markdown of limited length with `format=md` and `max_length`',
    );
    // Each request below follows one suggestion of the error.
    expect((await ask('gzip')).status).toBe(200);
    expect((await ask('identity', '&detail=compact')).status).toBe(200);
    expect((await ask('identity', '&detail=summary')).status).toBe(200);
    expect((await ask('identity', '&format=md&max_length=10000')).status).toBe(200);
  });

  test('A failure context with more text than the service masks for one response is refused, but a summary and short Markdown of the same page are returned', async () => {
    const different = Array.from({ length: 40 }, (_, index) => `${index} a word`.repeat(PIECE_CHARACTERS / 10));
    const { ask } = await stage(different.map((text) => text.slice(0, PIECE_CHARACTERS)));
    const refused = await ask('gzip');
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.body.toString()).error).toContain('request fewer tests with `limit`');
    expect((await ask('gzip', '&detail=summary')).status).toBe(200);
    expect((await ask('gzip', '&format=md&max_length=10000')).status).toBe(200);
  });

  test('A failure context with more evidence than the service decompresses for one response is refused, but a page of fewer tests and short Markdown are returned', async () => {
    const tenant = await service();
    const stdout = ['x'.repeat(PIECE_CHARACTERS)];
    // The response shows only one attempt per test, and repeated text compresses well, but the service must decompress
    // all attempts.
    const attempts = Array.from({ length: 16 }, (_, index) => attempt('failed', { attempt: index, stdout }));
    const names = Array.from({ length: 6 }, (_, index) => `${SPEC} > fails ${index}`);
    const { runId } = await uploadRun(tenant, Object.fromEntries(names.map((name) => [name, failed({ attempts })])));
    const ask = (more: string) => tenant.api.get(`/context?run_id=${runId}${more}`);
    const refused = await ask('&detail=summary');
    expect(refused).toMatchObject({
      status: 413,
      body: { error: expect.stringContaining('equest fewer tests with `limit`') },
    });
    expect(await ask('&limit=2')).toMatchObject({ status: 200, body: { data: { list: { length: 2 } } } });
    expect((await ask('&format=md&max_length=10000')).status).toBe(200);
  });

  test('Each step counts toward the size limit, so a failure context with many short steps is refused', async () => {
    const tenant = await service();
    const steps = Array.from({ length: 4000 }, () => ({ title: '', category: '', duration: 0, steps: [] }));
    const attempts = [attempt('failed', { attempt: 0, steps })];
    const names = Array.from({ length: 4 }, (_, index) => `${SPEC} > fails ${index}`);
    const { runId } = await uploadRun(tenant, Object.fromEntries(names.map((name) => [name, failed({ attempts })])));
    const ask = async (more: string) => (await tenant.api.get(`/context?run_id=${runId}${more}`)).status;
    expect(await ask('')).toBe(413);
    expect(await ask('&limit=2')).toBe(200);
    expect(await ask('&detail=compact')).toBe(200);
    expect(await ask('&format=md&max_length=10000')).toBe(200);
  });

  test('At the detail level `compact`, only the end of a long output is returned, so the outputs of 40 tests fit into one response', async () => {
    const tenant = await service();
    const line = (test: number, index: number) => `test ${test} prints line ${index}\n`;
    const output = (test: number) => Array.from({ length: 2500 }, (_, index) => line(test, index)).join('');
    const tests = Array.from({ length: 40 }, (_, test) => [`${SPEC} > fails ${test}`, saying(output(test))] as const);
    const { runId } = await uploadRun(tenant, Object.fromEntries(tests));
    const { status, body } = await tenant.api.get(`/context?run_id=${runId}&detail=compact&limit=50`);
    expect(status).toBe(200);
    expect(body.data.list).toHaveLength(40);
    const last = expect.stringMatching(/^\[more than \d+ characters before this\]\n[\s\S]* prints line 2499\n$/);
    for (const { stdout } of body.data.list) expect(stdout).toEqual([last]);
  });

  test('The size limit applies to the compressed failure context if the client accepts gzip', async () => {
    // Base64 text of random bytes hardly compresses.
    const random = () => noise((PIECE_CHARACTERS / 4) * 3).toString('base64');
    const { say, ask } = await stage(Array.from({ length: 22 }, random));
    const text = random();
    const answerWith = async (characters: number) => {
      await say(text.slice(0, characters));
      const { status, body } = await ask('gzip');
      if (status === 200) {
        expect(body.length).toBeLessThanOrEqual(MEGABYTE);
        expect(gunzipSync(body).length).toBeGreaterThan(MEGABYTE);
      }
      return { status, body, bytes: body.length };
    };
    const few = await answerWith(100);
    const more = await answerWith(10_000);
    expect([few.status, more.status]).toEqual([200, 200]);
    const edge = 100 + (MEGABYTE - few.bytes) / ((more.bytes - few.bytes) / 9900);
    expect((await answerWith(edge - 2000)).status).toBe(200);
    const refused = await answerWith(edge + 2000);
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.body.toString()).error).not.toContain('gzip');
  });
});

test('The failure context of a test with too much evidence keeps the failed step with its parents and neighbors, and says what was left out', async () => {
  const tenant = await service();
  const step = (title: string, more: object = {}) => ({
    title,
    category: 'test.step',
    duration: 1,
    steps: [],
    ...more,
  });
  const many = (name: string) => Array.from({ length: 700 }, (_, index) => step(`${name} ${index} `.padEnd(2000, '-')));
  const error = { message: 'The total is wrong' };
  const failing = step('checks out', {
    error,
    steps: [step('opens'), step('reads the total', { error }), step('closes')],
  });
  const steps = [...many('earlier'), failing, ...many('later')];
  const attempts = [attempt('failed', { attempt: 0, errors: [error], steps, stdout: ['the last line'] })];
  const { runId } = await uploadRun(tenant, { [`${SPEC} > fails`]: failed({ attempts }) });
  const { body } = await tenant.api.get(`/context?run_id=${runId}`);
  const [{ failureContext, steps: kept, stdout }] = body.data.list;
  expect(failureContext).toMatchObject({
    stepBefore: { title: 'opens' },
    failedStep: { title: 'reads the total' },
    stepAfter: { title: 'closes' },
  });
  expect(kept.map(({ title }: { title: string }) => title)).toContain('checks out');
  const [{ title: note }] = kept;
  // The first element of `kept` is the note, which is not a step of the test. The three steps nested in the parent of
  // the failed step are kept as well, but are not elements of `kept`.
  expect(note).toBe(`[${1404 - (kept.length - 1 + 3)} of the steps left out: the evidence of this test is too large]`);
  expect(JSON.stringify(kept).length).toBeLessThan(MEGABYTE / 2);
  expect(stdout).toEqual(['the last line']);
});
