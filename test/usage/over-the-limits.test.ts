/**
 * Recordings at three times the rate that the share of an organization allows. The clock stands still, and each request
 * lets it advance by a third of the time in which the share gets room for one. The gateway refuses the rest with 429.
 */

import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { makeTokenBucket } from '#infra/local/gateway/token-bucket.ts';
import { FaultyProxy } from '#test/client/faulty-proxy.ts';
import { environment, PLAYWRIGHT } from '#test/end-to-end/programs.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import type { Answer } from '#test/harness/client.ts';
import { type Claimed, claim, firstMessage, idempotencyKey, startRun } from '#test/harness/recording.ts';
import { passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service, type Tenant, type TestService, throttleRequests } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { endOf, PROJECT, run, startIn, temporaryFolder } from '#test/infra/local/child.ts';

throttleRequests();

type Stage = TestService & Tenant;

const { requestsPerSecond, burstRequests } = ENVIRONMENTS.dev.organizationThrottle;
const MILLISECONDS_PER_REQUEST = 1000 / requestsPerSecond;
const MINUTE = 60_000;

/** Uses up the burst of the organization, so that only its rate is left. */
async function drain({ reader }: Stage): Promise<void> {
  for (let sent = 0; sent <= burstRequests + 1; sent += 1) if ((await reader.get('/projects')).status === 429) return;
  throw new Error('The gateway does not limit the organization');
}

/** Lets the share of the organization recover, so that what was recorded can be read. */
const recover = () => clock.advance(10 * burstRequests * MILLISECONDS_PER_REQUEST);

/** A message about a test of the published protocol. Only the first one names the test. */
const TestMessage = z.object({ testId: z.string().optional(), _d: z.boolean() });
const Created = z.object({ recordId: z.string() });

describe('At three times the limits', () => {
  test('every result that the service acknowledged to the published protocol is stored, and its run never claims to be complete and says how many are missing', async () => {
    const here = await service();
    const specs = ['cart', 'order', 'price', 'stock'];
    const suite = specs.map((spec) => Array.from({ length: 12 }, (_, number) => `${spec}.spec.ts > test ${number}`));
    const run = await startRun(here, [suiteGroup('retail', suite.flat())]);
    const claims: Claimed[] = [];
    for (const spec of specs) claims.push(await claim(here, run, `${spec}.spec.ts`));
    await drain(here);
    const statuses: number[] = [];
    /** Repeats a refused request three times, as the published reporter does, and then gives up. */
    const insist = async (send: () => Promise<Answer>): Promise<Answer | undefined> => {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        clock.advance(MILLISECONDS_PER_REQUEST / 3);
        const answer = await send();
        statuses.push(answer.status);
        if (answer.status !== 429) return answer;
      }
      return undefined;
    };
    const acknowledged = new Set<string>();
    // One worker per spec file: it begins a test, and reports its result.
    await Promise.all(
      claims.map(async (claimed, index) => {
        for (const name of suite[index] ?? []) {
          const { expectedStatus, ...result } = passed();
          const begun = firstMessage(claimed, name, { ...passed(), _s: 'pending', _d: false, attempts: [] });
          const created = await insist(() => here.api.post('@/test-record', begun, idempotencyKey()));
          if (!created) continue;
          const path = `@/test-record/${created.body.recordId}`;
          const ended = await insist(() => here.api.put(path, { _t: 1, ...result }, idempotencyKey()));
          if (ended?.status === 200) acknowledged.add(name);
        }
      }),
    );
    recover();
    const all = suite.flat().length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(acknowledged.size).toBeGreaterThan(0);
    expect(acknowledged.size).toBeLessThan(all);
    const stored = async () => {
      const names: string[] = [];
      for (const { instanceId, spec } of claims) {
        const { results } = await read(here.api, `/instances/${instanceId}`);
        for (const { title, state } of results.tests) if (state === 'passed') names.push([spec, ...title].join(' > '));
      }
      return names.sort();
    };
    expect(await stored()).toEqual([...acknowledged].sort());
    expect((await read(here.api, `/runs/${run.runId}`)).completionState).toBe('IN_PROGRESS');
    clock.advance(31 * MINUTE);
    await here.runSchedule('timeOutRuns');
    const { completionState, status, problems } = await read(here.api, `/runs/${run.runId}`);
    expect({ completionState, status }).toEqual({ completionState: 'TIMEOUT', status: 'FAILED' });
    expect(JSON.stringify(problems)).toContain(`${all - acknowledged.size} expected tests never reported a result`);
    expect(await stored()).toEqual([...acknowledged].sort());
  });

  // The reporter waits for up to 48 seconds between its attempts, so `npm test` has only the replay above.
  test.runIf(IS_DEEP)(
    'every result that the service acknowledged to @currents/playwright is stored, and its run never claims to be complete and says how many are missing',
    async () => {
      const here = await service();
      const folder = await temporaryFolder();
      const specs = ['cart', 'order', 'price', 'stock'];
      const suite = `const { test } = require('@playwright/test');
for (let number = 0; number < 6; number += 1) test('adds article ' + number, () => {});`;
      for (const spec of specs) await writeFile(join(folder, `${spec}.spec.js`), suite);
      const config = "module.exports = { workers: 4, reporter: '@currents/playwright' };";
      await writeFile(join(folder, 'playwright.config.js'), config);
      await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
      let draining: Promise<void> | undefined;
      const drainOnce = () => {
        draining ??= drain(here);
        return draining;
      };
      const testIds = new Map<string, string>();
      const acknowledged = new Set<string>();
      const statuses: number[] = [];
      const proxy = await FaultyProxy.start(here.origin, async (call) => {
        // The file store would compare the clock of the test with its own.
        if (call.path.includes('/uploads/')) return call.answer(200);
        const isResult = call.path.includes('/test-record');
        if (isResult && statuses.length === 0) await drainOnce();
        clock.advance(MILLISECONDS_PER_REQUEST / 3);
        const { status, body } = await call.pass();
        if (!isResult) return;
        statuses.push(status);
        if (status !== 200) return;
        const { testId, _d: hasEnded } = TestMessage.parse(call.json());
        const recordId = call.path.split('/').at(-1) ?? '';
        if (testId !== undefined) testIds.set(Created.parse(JSON.parse(body)).recordId, testId);
        if (hasEnded) acknowledged.add(testId ?? testIds.get(recordId) ?? 'unknown');
      });
      const target = { ...here, origin: proxy.origin };
      const ended = await run([PLAYWRIGHT, 'test', '--config', folder], environment(target, 'excess'));
      expect(ended).toMatchObject({ output: expect.stringContaining('24 passed') });
      recover();
      expect(statuses).toEqual(expect.arrayContaining([200, 429]));
      expect(acknowledged.size).toBeGreaterThan(0);
      expect(acknowledged.size).toBeLessThan(24);
      const stored = async () => {
        const ids: string[] = [];
        for (const spec of (await runOf()).specs) {
          const { results } = await read(here.api, `/instances/${spec.instanceId}`);
          for (const { testId, state } of results?.tests ?? []) if (state === 'passed') ids.push(testId);
        }
        return ids.sort();
      };
      const runOf = () => read(here.api, `/runs/find?projectId=${here.projectId}&ciBuildId=excess`);
      expect(await stored()).toEqual([...acknowledged].sort());
      expect((await runOf()).completionState).toBe('IN_PROGRESS');
      clock.advance(31 * MINUTE);
      await here.runSchedule('timeOutRuns');
      const { completionState, status, problems } = await runOf();
      expect({ completionState, status }).toEqual({ completionState: 'TIMEOUT', status: 'FAILED' });
      expect(JSON.stringify(problems)).toContain(`${24 - acknowledged.size} expected tests never reported a result`);
      expect(await stored()).toEqual([...acknowledged].sort());
    },
  );

  test('rundown-cli stores what the service acknowledged, keeps and counts the rest, and `rundown upload --spool` completes the run', async () => {
    const here = await service();
    const folder = await temporaryFolder();
    const client = await findClient();
    const tests = 700;
    // The last test ends when the service has got the first batch, so that something is acknowledged.
    const suite = `import test from 'node:test';
for (let number = 1; number < ${tests}; number += 1) test('adds article ' + number, () => {});
test('is the last', () => fetch(new URL('/last-test', process.env.RUNDOWN_DSN.replace(/\\/\\/.*@/, '//'))));`;
    await writeFile(join(folder, 'cart.test.mjs'), suite);
    const spool = join(folder, 'spool');
    const { promise: firstBatch, resolve } = Promise.withResolvers<void>();
    const proxy = await FaultyProxy.start(here.origin, async (call) => {
      if (call.path.endsWith('/last-test')) {
        await firstBatch;
        return call.answer(204);
      }
      await call.pass();
      if (call.path.endsWith('/batches')) resolve();
    });
    const dsnOf = (origin: string) => `${origin.replace('://', `://${here.keys.readWrite}@`)}/${here.projectId}`;
    const env = {
      GITHUB_ACTIONS: '',
      RUNDOWN_DSN: dsnOf(proxy.origin),
      RUNDOWN_CI_BUILD_ID: 'refused',
      RUNDOWN_SPOOL: spool,
      RUNDOWN_WAIT_AT_END: '1',
    };
    await drain(here);
    // The suite sends at least six requests: its start, four batches and its end.
    clock.advance(2 * MILLISECONDS_PER_REQUEST);
    const reporter = [`--test-reporter=${join(client, 'node-test.js')}`, '--test-reporter-destination=stdout'];
    const command = ['--test', ...reporter, 'cart.test.mjs'];
    const { output } = await endOf(startIn(folder, command, env));
    recover();
    const [, lost] = new RegExp(`Rundown {2}(\\d+) of ${tests} tests were not recorded`).exec(output) ?? [];
    expect(output).toContain('Results are waiting in');
    const find = () => read(here.api, `/runs/find?projectId=${here.projectId}&ciBuildId=refused`);
    const { runId } = await find();
    const stateOf = async () => {
      const { completionState, groups } = await read(here.api, `/runs/${runId}`);
      return { completionState, recorded: groups[0]?.tests.overall };
    };
    expect(await stateOf()).toEqual({ completionState: 'IN_PROGRESS', recorded: tests - Number(lost) });
    expect(Number(lost)).toBeGreaterThan(0);
    expect(Number(lost)).toBeLessThan(tests);
    const [file = ''] = await readdir(spool);
    const kept = (await readFile(join(spool, file), 'utf8')).split('\n').filter((line) => line.startsWith('{"test"'));
    expect(kept.length).toBeGreaterThanOrEqual(Number(lost));
    const patient = { ...env, RUNDOWN_DSN: dsnOf(here.origin), RUNDOWN_WAIT_AT_END: '3600' };
    const upload = [join(client, 'rundown.js'), 'upload', '--spool', '--strict'];
    expect(await endOf(startIn(folder, upload, patient))).toMatchObject({ status: 0 });
    expect(await stateOf()).toEqual({ completionState: 'COMPLETE', recorded: tests });
    expect(await readdir(spool)).toEqual([]);
  });
});

describe('A throttle of the local gateway', () => {
  test('refuses after a burst, lets one request pass when its time has come, and a burst when the clock was set back, as at the start of each test', () => {
    const passes = makeTokenBucket({ requestsPerSecond: 2, burstRequests: 3 });
    const sendFour = () => Array.from({ length: 4 }, passes);
    expect(sendFour()).toEqual([true, true, true, false]);
    clock.advance(500);
    expect(sendFour()).toEqual([true, false, false, false]);
    clock.advance(-1);
    expect(sendFour()).toEqual([true, true, true, false]);
  });
});
