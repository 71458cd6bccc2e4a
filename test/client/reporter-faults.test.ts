/**
 * Tests that a recording survives a bad network, a busy service and the death of the test process. A proxy between the
 * reporter for node:test and the service causes the faults.
 */
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { FIREWALL_CODE, FIREWALL_MESSAGE, INSUFFICIENT_SCOPE_MESSAGE } from '#shared/engine/errors.ts';
import { sampled } from '#test/harness/cases.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { type Ended, endOf, startIn, temporaryFolder } from '#test/infra/local/child.ts';
import { type Call, FaultyProxy } from './faulty-proxy.ts';

let client: string;
beforeAll(async () => {
  client = await findClient();
});

const SUITE = `import test from 'node:test';
test('fails', () => { throw new Error('no stock'); });
test('prints', () => console.log('one mug'));`;

/** If a spec file has this many finished tests that are not sent yet, the reporter sends them immediately. */
const TESTS_OF_BATCH = 200;
const LARGE = `import test from 'node:test';
test('fails', () => { throw new Error('no stock'); });
for (let i = 1; i < ${TESTS_OF_BATCH}; i += 1) test('adds article ' + i, () => {});`;

/** Prints a line when a connection is refused, so that tests need not guess how long that takes. */
const TELL_REFUSALS = `import { subscribe } from 'node:diagnostics_channel';
subscribe('undici:client:connectError', () => console.error('REFUSED'));`;

/** Writes a suite of node:test to a folder of its own. Each argument is the content of one spec file. */
async function stage(...specs: readonly string[]) {
  const tenant = await service();
  vi.useRealTimers();
  const folder = await temporaryFolder();
  const files = specs.map((_, index) => `part-${index}.test.mjs`);
  for (const [index, file] of files.entries()) await writeFile(join(folder, file), specs[index] ?? '');
  const spool = join(folder, 'spool');
  const envOf = (origin: string, build: string) => ({
    GITHUB_ACTIONS: '',
    RUNDOWN_DSN: `${origin.replace('://', `://${tenant.keys.readWrite}@`)}/${tenant.projectId}`,
    RUNDOWN_CI_BUILD_ID: build,
    RUNDOWN_SPOOL: spool,
    // The reporter must not give up waiting for the service because the machine is busy.
    RUNDOWN_WAIT_AT_END: '3600',
  });
  const reporter = [`--test-reporter=${join(client, 'node-test.js')}`, '--test-reporter-destination=stdout'];
  const begin = (origin: string, build: string, options: readonly string[] = [], env: Record<string, string> = {}) =>
    startIn(folder, ['--test', ...options, ...reporter, ...files], { ...envOf(origin, build), ...env });
  const uploadSpool = (origin: string) =>
    startIn(folder, [join(client, 'rundown.js'), 'upload', '--spool', '--strict'], envOf(origin, ''));

  /** Reads the state of a run, its tests, and the number of tests that the run itself reports. */
  const recorded = async (build: string) => {
    const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${build}`);
    const { groups, specs: instances, completionState, status } = await read(tenant.api, `/runs/${runId}`);
    const tests: string[] = [];
    for (const { instanceId, spec } of instances) {
      const { results } = await read(tenant.api, `/instances/${instanceId}`);
      for (const { title, state } of results.tests) tests.push(`${spec} › ${title.join(' › ')}: ${state}`);
    }
    const count = groups[0]?.tests.overall ?? 0;
    return { completionState, status, count, tests: tests.sort() };
  };
  /** The path of the spool that the recording of this build writes. */
  const spoolOf = async (build: string) => {
    const paths = (await readdir(spool)).map((name) => join(spool, name));
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    return paths.find((_, index) => texts[index]?.includes(`"ciBuildId":"${build}"`)) ?? '';
  };
  return { tenant, begin, recorded, spool, spoolOf, uploadSpool };
}

const TESTS = ['fails: failed', 'prints: passed'].map((test) => `part-0.test.mjs › ${test}`);
const WHOLE = { completionState: 'COMPLETE', status: 'FAILED', count: TESTS.length, tests: TESTS };

/** In each build, one of the faults hits each request once. The retry of the request succeeds. */
const FAULTS: Readonly<Record<string, (call: Call) => Promise<void> | void>> = {
  'reset before the service got the request': (call) => call.reset(),
  'reset after the service stored the request': async (call) => {
    await call.store();
    call.reset();
  },
  'reset in the middle of the answer': async (call) => call.cut(await call.store()),
  429: (call) => call.answer(429, { 'retry-after': '1' }),
  500: (call) => call.answer(500),
  503: (call) => call.answer(503),
};

test('No result is lost or recorded twice, and the exit status is still that of the tests, if each request of the reporter fails once, with a reset connection, a lost or truncated response, a rate limit or a server error', async () => {
  const { tenant, begin, recorded, spool } = await stage(SUITE);
  // The spool of a process that has not written anything yet.
  await mkdir(spool, { recursive: true });
  await writeFile(join(spool, 'created.ndjson'), '');
  const results = await Promise.all(
    Object.entries(FAULTS).map(async ([build, fault]) => {
      const failed: string[] = [];
      const proxy = await FaultyProxy.start(tenant.origin, (call) => {
        if (failed.includes(call.path)) return call.pass();
        failed.push(call.path);
        return fault(call);
      });
      const { status, output } = await endOf(begin(proxy.origin, build));
      return [build, { status, output, requests: failed.length, run: await recorded(build) }] as const;
    }),
  );
  // The six requests are the start, a batch, the request for links to upload files, a file, the end, and the
  // comparison. The reporters share a spool folder, but none of them reports the results of another one as left over.
  const output = expect.stringMatching(
    /^(?:Rundown {2}still sending [^\n]+\n)?Rundown {2}2 tests recorded {2}→ {2}\S+\n {9}1 passed · 1 failed\n$/,
  );
  const expected = { status: 1, output, requests: 6, run: WHOLE };
  expect(Object.fromEntries(results)).toEqual(
    Object.fromEntries(Object.keys(FAULTS).map((build) => [build, expected])),
  );
  expect(await readdir(spool)).toEqual(['created.ndjson']);
});

test('No result is lost or recorded twice if the service refuses connections at the start and in the middle of a suite', async () => {
  const { tenant, begin, recorded, spool } = await stage(SUITE);
  let hasRestarted = false;
  const proxy = await FaultyProxy.start(tenant.origin, (call) => {
    if (hasRestarted || !call.path.endsWith('/batches')) return call.pass();
    hasRestarted = true;
    return proxy.close();
  });
  proxy.close();
  const child = begin(proxy.origin, 'refused', [
    '--test-isolation=none',
    '--import',
    `data:text/javascript,${encodeURIComponent(TELL_REFUSALS)}`,
  ]);
  const ended = endOf(child);
  let refusals = 0;
  child.stderr?.on('data', (text) => {
    if (!String(text).includes('REFUSED')) return;
    refusals += 1;
    // If both addresses of the host were refused, `open()` is called twice. The second call fails, because the proxy is
    // already open.
    proxy.open().catch(() => undefined);
  });
  expect(await ended).toMatchObject({ status: 1, output: expect.stringContaining('1 passed · 1 failed') });
  expect(refusals).toBeGreaterThanOrEqual(2);
  expect(await recorded('refused')).toEqual(WHOLE);
  expect(await readdir(spool)).toEqual([]);
});

test('If the service asks the reporter to wait for more than a minute, the reporter stops and keeps its results for `rundown upload --spool`', async () => {
  const { tenant, begin, recorded, spool, uploadSpool } = await stage(SUITE);
  const proxy = await FaultyProxy.start(tenant.origin, (call) =>
    call.path.endsWith('/batches') ? call.answer(429, { 'retry-after': '2592000' }) : call.pass(),
  );
  const { status, output } = await endOf(begin(proxy.origin, 'refused for a month'));
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining('Results are waiting in') });
  expect(output).toMatch(/Rundown {2}2 of 2 tests were not recorded {2}→ {2}\S+\n {9}1 passed · 1 failed\n/);
  const uploaded = await endOf(uploadSpool(tenant.origin));
  expect(uploaded).toMatchObject({ status: 0, output: expect.stringContaining('Rundown  2 tests recorded') });
  expect(await recorded('refused for a month')).toEqual(WHOLE);
  expect(await readdir(spool)).toEqual([]);
});

const FIREWALLS: Readonly<Record<string, readonly [body: string, message: string]>> = {
  'the AWS WAF of the deployment': [
    JSON.stringify({ status: 'FAILED', error: `${FIREWALL_MESSAGE}, with the request id 1-2`, code: FIREWALL_CODE }),
    'A firewall in front of Rundown refused this request. The credential is not the reason. Ask whoever operates Rundown to let it pass, with the request id 1-2',
  ],
  'another firewall': [
    '<html><h1>403 Forbidden</h1></html>',
    'The answer 403 is not from Rundown: a firewall or a proxy on the way refused the request',
  ],
  'the list of allowed networks': [
    JSON.stringify({ status: 'FAILED', error: INSUFFICIENT_SCOPE_MESSAGE, code: 'insufficient_scope' }),
    'Rundown accepts no requests from the network of this machine',
  ],
};

test('If a firewall refuses results, the reporter says which one, does not blame the key, and keeps the results for `rundown upload --spool`', async () => {
  const { tenant, begin, recorded, spool, uploadSpool } = await stage(SUITE);
  const refusing = (body: string) =>
    FaultyProxy.start(tenant.origin, (call) =>
      call.path.endsWith('/batches') ? call.answer(403, {}, body) : call.pass(),
    );
  const results = await Promise.all(
    Object.entries(FIREWALLS).map(async ([build, [body, message]]) => {
      const { status, output } = await endOf(begin((await refusing(body)).origin, build));
      return { status, isExplained: output.includes(message), blamesKey: output.includes('Use an API key'), output };
    }),
  );
  const output = expect.stringContaining('Results are waiting in');
  expect(results).toEqual(results.map(() => ({ status: 1, isExplained: true, blamesKey: false, output })));
  const again = await endOf(uploadSpool((await refusing('<html>403 Forbidden</html>')).origin));
  expect(again.status).not.toBe(0);
  expect(again.output).toContain('The answer 403 is not from Rundown');
  expect(await readdir(spool)).toHaveLength(results.length);
  expect(await endOf(uploadSpool(tenant.origin))).toMatchObject({ status: 0 });
  for (const build of Object.keys(FIREWALLS)) expect(await recorded(build)).toEqual(WHOLE);
  expect(await readdir(spool)).toEqual([]);
});

test('A suite that Node runs without test processes ends although the service refuses every request for the time being', async () => {
  const { tenant, begin, recorded, spool, uploadSpool } = await stage(SUITE);
  const proxy = await FaultyProxy.start(tenant.origin, (call) => call.answer(429));
  const env = { RUNDOWN_WAIT_AT_END: '1' };
  const { status, output } = await endOf(begin(proxy.origin, 'refused', ['--test-isolation=none'], env));
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining('Results are waiting in') });
  expect(output).toContain('Rundown  2 of 2 tests were not recorded');
  expect(await endOf(uploadSpool(tenant.origin))).toMatchObject({ status: 0 });
  expect(await recorded('refused')).toEqual(WHOLE);
  expect(await readdir(spool)).toEqual([]);
});

test('The reporter prints how many results the service did not acknowledge, and the service has all others', async () => {
  const { tenant, begin } = await stage(LARGE, SUITE);
  let batches = 0;
  const proxy = await FaultyProxy.start(tenant.origin, (call) =>
    call.path.endsWith('/batches') && batches++ > 0 ? call.answer(429, { 'retry-after': '2592000' }) : call.pass(),
  );
  const { output } = await endOf(begin(proxy.origin, 'refused later', ['--test-isolation=none']));
  const [, lost, total] = /Rundown {2}(\d+) of (\d+) tests were not recorded {2}→/.exec(output) ?? [];
  expect(Number(total)).toBe(TESTS_OF_BATCH + TESTS.length);
  const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=refused later`);
  const { groups } = await read(tenant.api, `/runs/${runId}`);
  expect(Number(total) - Number(lost)).toBe(groups[0].tests.overall);
  expect(groups[0].tests.overall).toBeGreaterThanOrEqual(TESTS_OF_BATCH);
});

test('`rundown upload --spool` skips the results of a test process that is still running', async () => {
  const { tenant, begin, recorded, spool, spoolOf, uploadSpool } = await stage(SUITE);
  // The spool of a process that was killed before it wrote anything.
  await mkdir(spool, { recursive: true });
  await writeFile(join(spool, 'empty.ndjson'), '');
  let uploaded: Ended | undefined;
  let running = '';
  const proxy = await FaultyProxy.start(tenant.origin, async (call) => {
    if (call.path.endsWith('/end')) {
      running = await spoolOf('running');
      uploaded = await endOf(uploadSpool(tenant.origin));
    }
    await call.pass();
  });
  expect(await endOf(begin(proxy.origin, 'running'))).toMatchObject({ status: 1 });
  expect(uploaded).toEqual({
    status: 0,
    output: `${running} was left out, because its test process is still running\n`,
  });
  expect(await recorded('running')).toEqual(WHOLE);
});

test('No result is lost if the service answers the start of the recording only after the last test', async () => {
  const { promise: lastTest, resolve } = Promise.withResolvers<void>();
  const { tenant, begin, recorded } = await stage(`${SUITE}
    test('is the last', () => fetch(new URL('/last-test', process.env.RUNDOWN_DSN.replace(/\\/\\/.*@/, '//'))));`);
  const proxy = await FaultyProxy.start(tenant.origin, async (call) => {
    if (call.path.endsWith('/last-test')) {
      resolve();
      return call.answer(204);
    }
    if (call.path.endsWith('/recordings')) await lastTest;
    return call.pass();
  });
  const { status, output } = await endOf(begin(proxy.origin, 'slow', ['--test-isolation=none']));
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining('2 passed · 1 failed') });
  expect((await recorded('slow')).tests).toEqual([...TESTS, 'part-0.test.mjs › is the last: passed'].sort());
});

const Batch = z.object({
  instances: z.array(z.object({ spec: z.string(), tests: z.array(z.object({ title: z.array(z.string()) })) })),
});
const Line = z.object({ test: z.tuple([z.string(), z.string(), z.string()]) });
const Spooled = z.object({ title: z.array(z.string()), state: z.string() });

/** Returns the tests in a spool file, each as `spec › title: state`. */
const testsIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const parsed = line.startsWith('{"test"') ? Line.safeParse(JSON.parse(line)) : undefined;
    if (!parsed?.success) return [];
    const [, spec, json] = parsed.data.test;
    const { title, state } = Spooled.parse(JSON.parse(json));
    return `${spec} › ${title.join(' › ')}: ${state}`;
  });

/**
 * The requests during which the test process is killed. `before` is the number of earlier requests of the same kind.
 * `isStored` says whether the service still gets the request.
 */
const DEATHS = ['recordings', 'batches', 'batches', 'batches', 'end'].flatMap((request, index) =>
  [false, true].map((isStored) => ({ request, before: request === 'batches' ? index - 1 : 0, isStored })),
);

test('Every result that a killed test process has left in the spool is recorded exactly once by `rundown upload --spool`, no matter during which request the process was killed, and even if the first upload is killed as well', async () => {
  const { tenant, begin, recorded, spool, spoolOf, uploadSpool } = await stage(LARGE, LARGE, SUITE);
  const sent = new Map<string, string[]>();
  for (const { request, before, isStored } of sampled(DEATHS, 3)) {
    const build = `${request}-${before}-${isStored ? 'stored' : 'lost'}`;
    const arrived: string[] = [];
    sent.set(build, arrived);
    let count = 0;
    const proxy = await FaultyProxy.start(tenant.origin, async (call) => {
      if (call.path.endsWith('/batches'))
        for (const { spec, tests } of Batch.parse(JSON.parse(gunzipSync(call.body).toString())).instances)
          arrived.push(...tests.map(({ title }) => `${spec} › ${title.join(' › ')}`));
      const isLast = call.path.endsWith(`/${request}`) && count++ === before;
      if (!isLast) return call.pass();
      if (isStored) await call.store();
      child.kill('SIGKILL');
    });
    const child = begin(proxy.origin, build, ['--test-isolation=none']);
    await once(child, 'close');
    expect({ build, signal: child.signalCode }).toEqual({ build, signal: 'SIGKILL' });
  }
  const builds = [...sent.keys()];
  const left = new Map<string, string[]>();
  for (const build of builds) left.set(build, testsIn(await readFile(await spoolOf(build), 'utf8')));

  let batches = 0;
  const proxy = await FaultyProxy.start(tenant.origin, async (call) => {
    if (!call.path.endsWith('/batches') || batches++ < 2) return call.pass();
    await call.store();
    uploading.kill('SIGKILL');
  });
  const uploading = uploadSpool(proxy.origin);
  await once(uploading, 'close');
  expect(await endOf(uploadSpool(tenant.origin))).toMatchObject({ status: 0 });
  expect(await readdir(spool)).toEqual([]);

  for (const build of builds) {
    const tests = left.get(build)?.sort() ?? [];
    const names = tests.map((test) => test.slice(0, test.lastIndexOf(':')));
    expect(names).toEqual(expect.arrayContaining(sent.get(build) ?? []));
    const run = await recorded(build);
    expect({ build, ...run }).toEqual({
      build,
      completionState: 'COMPLETE',
      status: 'FAILED',
      count: tests.length,
      tests,
    });
  }
});
