import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { REST_CUT } from '#shared/engine/cut-text.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Client } from '#test/harness/client.ts';
import { noise } from '#test/harness/noise.ts';
import { createRecord, firstMessage, recordRun, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { claimedRun, DONE } from './operations.ts';

const MEGABYTE = 1024 * 1024;

describe('A large or unusual body', () => {
  const post = (api: Client, message: object) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    return api.send('POST', '@/test-record', Uint8Array.from(gzipSync(JSON.stringify(message))), { headers });
  };

  test('A compressed body with 20 MB of repetitive output is accepted', async () => {
    const setting = await service();
    const stdout = Array.from({ length: 20 }, () => 'x'.repeat(MEGABYTE));
    const state = passed({ attempts: [attempt('passed', { stdout })] });
    expect(await post(setting.api, firstMessage(await claimedRun(setting), DONE, state))).toMatchObject({
      status: 200,
    });
  });

  test('A body may have unknown properties, because later versions of a client may send them', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const message = { ...firstMessage(claimed, DONE, passed()), brandNew: { deep: [1] } };
    expect(await setting.api.post('@/test-record', message)).toMatchObject({ status: 200 });
  });

  test('A body is stored with long texts and lists shortened, and with lone surrogates replaced', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const cut = (letter: string, characters: number) => letter.repeat(characters - REST_CUT.length) + REST_CUT;
    const long = [error('m'.repeat(40_000))];
    const state = failed({
      attempts: Array.from({ length: 60 }, (_, index) => attempt('failed', { errors: index === 49 ? long : [] })),
      tags: ['cut \ud83d', 't'.repeat(500), ...Array.from({ length: 300 }, (_, index) => `tag-${index}`)],
      annotations: Array.from({ length: 40 }, () => ({ type: 'x'.repeat(300), description: 'y'.repeat(3000) })),
    });
    await createRecord(setting, claimed, DONE, state);
    const { results } = await read(setting.api, `/instances/${claimed.instanceId}`);
    const [test] = results.tests;
    expect(test.attempts).toHaveLength(50);
    expect(test.displayError).toBe(cut('m', 32_768));
    expect(test.tags).toContain('cut \ufffd');
    expect(Math.max(...test.tags.map((tag: string) => tag.length))).toBe(128);
    expect(test.annotations).toHaveLength(32);
    expect(test.annotations[0]).toEqual({ type: cut('x', 256), description: cut('y', 2048) });
  });

  test('The beginning of each error is kept if the errors of a test together do not fit into a table item', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const errors = () => Array.from({ length: 20 }, () => error(noise(3000).toString('base64')));
    const state = failed({ attempts: Array.from({ length: 10 }, () => attempt('failed', { errors: errors() })) });
    await createRecord(setting, claimed, DONE, state);
    const { results } = await read(setting.api, `/instances/${claimed.instanceId}`);
    for (const [index, { errors: kept }] of results.tests[0].attempts.entries()) {
      const sent = state.attempts[index]?.errors ?? [];
      expect(kept).toHaveLength(20);
      for (const [place, { message }] of kept.entries()) {
        expect(message.length).toBeGreaterThan(200);
        expect(sent[place]).toMatchObject({ message: expect.stringContaining(message.replace(REST_CUT, '')) });
        expect(message.endsWith(REST_CUT)).toBe(true);
      }
    }
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'A body may use `%s` as the name of a group, a spec file, a test, a tag or an annotation',
    async (name) => {
      const setting = await service();
      const named = {
        tags: [name],
        annotations: [{ type: name }],
        attempts: [attempt('failed', { errors: [error(name)] })],
      };
      const groups = { [name]: { tags: [name], tests: { [`${name} > ${name}`]: failed(named) } } };
      const { runId, instances } = await recordRun(setting, groups, { ciBuildId: name, machineId: name });
      expect(await read(setting.api, `/runs/${runId}`)).toMatchObject({
        completionState: 'COMPLETE',
        groups: [{ groupId: name, tests: { overall: 1, failures: 1 } }],
      });
      const instance = await read(setting.api, `/instances/${Object.values(instances)[0]}`);
      expect(instance).toMatchObject({ groupId: name, spec: name, machineId: name });
      expect(instance.results.tests).toMatchObject([{ title: [name], tags: [name], annotations: [{ type: name }] }]);
      expect(await historyOf(setting, { spec: name, title: [name] })).toMatchObject([{ tags: [name], groupId: name }]);
      const context = await read(setting.api, `/context?run_id=${runId}`);
      expect(context.list).toMatchObject([{ test: { title: [name] } }]);
    },
  );

  test.each(['streamed', 'uploaded'])(
    'The tags of tests are recorded when they are %s, even if together they do not fit into one table item',
    async (how) => {
      const setting = await service();
      const tagsOf = (test: number) => Array.from({ length: 100 }, (_, index) => `${test} ${index} `.padEnd(128, 't'));
      const names = Array.from({ length: 35 }, (_, index) => `cart.spec.ts > test ${index}`);
      const tests = Object.fromEntries(names.map((name, index) => [name, passed({ tags: tagsOf(index) })]));
      const { runId } =
        how === 'streamed'
          ? await recordRun(setting, { retail: { tests } })
          : await upload(setting, [suiteGroup('retail', names)], [batchInstance('retail', 'cart.spec.ts', tests)]);
      expect(await read(setting.api, `/runs/${runId}`)).toMatchObject({
        completionState: 'COMPLETE',
        groups: [{ tests: { overall: 35, passes: 35 } }],
      });
      const last = { spec: 'cart.spec.ts', title: ['test 34'] };
      expect(await historyOf(setting, last)).toMatchObject([{ tags: tagsOf(34) }]);
    },
  );

  test('The start of a run stores as many group tags as fit into a table item', async () => {
    const setting = await service();
    const tagsOf = (group: number) => Array.from({ length: 100 }, (_, index) => `${group} ${index} `.padEnd(128, '€'));
    const suite = Array.from({ length: 110 }, (_, index) => {
      const environment = `${index} `.padEnd(256, 'e');
      return suiteGroup(`group ${index}`, [DONE], { tags: index < 60 ? tagsOf(index) : [], environment });
    });
    const { runId } = await startRun(setting, suite);
    const { tags, groups } = await read(setting.api, `/runs/${runId}`);
    expect(tags).toEqual([...tagsOf(0), ...tagsOf(1)].slice(0, tags.length));
    const bytes = tags.reduce((total: number, tag: string) => total + Buffer.byteLength(tag), 0);
    expect(bytes).toBeGreaterThan(MODEL_LIMITS.rowBytes.runGroupTags - 1000);
    expect(bytes).toBeLessThanOrEqual(MODEL_LIMITS.rowBytes.runGroupTags);
    expect(groups).toHaveLength(110);
  });

  test('A test whose title has lone surrogates can be found by its title with replacement characters', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const message = { ...firstMessage(claimed, DONE, passed()), title: ['cart', 'sums \ud83d'], testId: 'odd' };
    expect(await setting.api.post('@/test-record', message)).toMatchObject({ status: 200 });
    const named = { spec: 'cart.spec.ts', title: ['cart', 'sums \ufffd'] };
    expect(await historyOf(setting, named)).toMatchObject([{ title: named.title, testId: 'odd' }]);
  });

  test('A body is recorded without its invalid times, durations and indexes', async () => {
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
    const [first, second] = results.tests[0].attempts;
    expect(first).toMatchObject({ wallClockDuration: 0, workerIndex: -1, parallelIndex: -1 });
    for (const one of [first, second]) expect(one).not.toHaveProperty('wallClockStartedAt');
  });
});
