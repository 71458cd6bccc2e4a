import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { endMachine } from '#shared/recording/own/end-machine.ts';
import { EndMachineBody } from '#shared/recording/own/recording-wire.ts';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import { cases } from '#test/harness/cases.ts';
import { takeEventsOfRun } from '#test/harness/events.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  recordLive,
  sendBatch,
  sendEnd,
  sendFiles,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import {
  attempt,
  error,
  failed,
  flaky,
  partsOf,
  passed,
  pending,
  skipped,
  type TestName,
  type TestState,
  testIdOf,
} from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { rowsOfRun } from '#test/harness/recording-rows.ts';
import { clock, service } from '#test/harness/service.ts';
import { imported } from '#test/imports/reports.ts';

const MINUTE = 60_000;
/** A machine of a build with two machines. */
const shard = { machines: 2 };
const SUMS = 'cart.spec.ts > cart > sums';
const REFUSES = 'cart.spec.ts > cart > refuses';
const ROUNDS = 'tax.spec.ts > rounds';
const NETS = 'tax.spec.ts > nets';

type Stage = Awaited<ReturnType<typeof service>>;
type Tests = Readonly<Record<TestName, TestState>>;

/** The tenant of all tests that read only their own run. Each run has its own build. */
let shared: Promise<Stage> | undefined;
const sharedStage = (): Promise<Stage> => {
  shared ??= service();
  return shared;
};
let builds = 0;

/** Starts the recording of one group, and returns the requests of its machines. */
async function recording(tests: readonly TestName[], more: object = {}, stage?: Stage) {
  const tenant = stage ?? (await sharedStage());
  builds += 1;
  const ciBuildId = `live-${builds}`;
  const start = (machine: object = {}) =>
    sendStart(tenant, startBody([liveGroup('retail', tests)], { ciBuildId, ...more, ...machine }));
  const { runId } = await dataOf(start());
  const batch = (sequence: number, states: Tests, machine: object = {}) =>
    sendBatch(tenant, runId, { machineId: 'm1', sequence, instances: liveInstances('retail', states), ...machine });
  const end = (batches: number, machine: object = {}) =>
    sendEnd(tenant, runId, { machineId: 'm1', batches, ...machine });
  const { organizationId, services } = tenant;
  return {
    ...tenant,
    ciBuildId,
    runId,
    start,
    batch,
    end,
    run: () => read(tenant.api, `/runs/${runId}`),
    progress: () => readProgress(services, { organizationId, runId }),
    timeOut: () => tenant.runSchedule('timeOutRuns'),
  };
}

const refusal = (code: string) => ({ status: 422, body: { code, error: expect.any(String) } });

describe('A run that is recorded live', () => {
  const step = { title: 'opens the cart', category: 'test.step', duration: 5, startTime: '2026-11-02T09:59:00.000Z' };
  const detailed = failed({
    tags: ['@slow'],
    attempts: [
      attempt('failed', { attempt: 0, errors: [error('Error: first'), error('Error: second')] }),
      attempt('timedOut', {
        attempt: 1,
        steps: [{ ...step, steps: [{ ...step, title: 'Expect "toBe"', error: error('Error: first') }] }],
        stdout: ['two ', 'pieces\n'],
        stderr: ['careful\n'],
        startTime: '2026-11-02T09:59:10.000Z',
      }),
    ],
  });
  const TESTS: Tests = {
    [SUMS]: passed({ tags: ['@smoke'], annotations: [{ type: 'issue', description: 'SHOP-7' }] }),
    [REFUSES]: detailed,
    'cart.spec.ts > cart > waits': skipped(),
    [ROUNDS]: flaky(),
    [NETS]: pending(),
    'tax.spec.ts > fails as expected': passed({ attempts: [attempt('failed')], expectedStatus: 'failed' }),
  };

  /** Everything that the API says about a run, without what differs between the runs of two organizations. */
  async function seen(tenant: Stage, runId: string) {
    const run = await read(tenant.api, `/runs/${runId}`);
    const instances = [];
    for (const { instanceId } of run.specs) instances.push(await read(tenant.api, `/instances/${instanceId}`));
    const histories = [];
    for (const name of Object.keys(TESTS)) histories.push(await historyOf(tenant, partsOf(name)));
    const context = await read(tenant.api, `/context?run_id=${runId}&include_flaky=true`);
    return JSON.parse(
      JSON.stringify({ run, instances, histories, context })
        .replaceAll(runId, 'RUN')
        .replaceAll(tenant.projectId, 'PROJECT')
        .replaceAll(tenant.organizationId, 'ORGANIZATION')
        .replaceAll(/"(signature|cursor)":"[^"]+"/g, '"$1":"any"'),
    );
  }

  test('The API returns the same run, spec files, tests, history and failures for a run that is recorded live as for an upload of the same tests', async () => {
    const [live, uploaded] = [await service(), await service()];
    const common = { framework: { type: 'playwright', version: '1.65.1', clientVersion: '0.1.0' }, machineId: 'm1' };
    const found = await seen(live, await recordLive(live, TESTS));
    const expected = await seen(uploaded, (await uploadRun(uploaded, TESTS, common)).runId);
    expect(found.run).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    expect(found.context).toMatchObject({ totalFailedTests: 1, totalFlakyTests: 1 });
    expect(found).toEqual(expected);
  });

  test('The live progress of a run counts the tests of each batch as soon as the batch is acknowledged', async () => {
    const tests = [SUMS, REFUSES, 'cart.spec.ts > cart > waits', ROUNDS];
    const { batch, end, run, progress } = await recording(tests);
    expect(await progress()).toMatchObject({ status: 'RUNNING', tests: { overall: 0, tests: 4 } });
    await dataOf(batch(0, { [SUMS]: passed() }));
    expect(await progress()).toMatchObject({
      status: 'RUNNING',
      specFiles: { total: 2, complete: 0 },
      tests: { overall: 1, passes: 1, tests: 4 },
    });
    await dataOf(batch(1, { [REFUSES]: failed() }));
    expect(await progress()).toMatchObject({ status: 'FAILING', tests: { overall: 2, passes: 1, failures: 1 } });
    await dataOf(batch(2, { 'cart.spec.ts > cart > waits': flaky(), [ROUNDS]: passed() }));
    const all = {
      specFiles: { total: 2, complete: 2 },
      tests: { overall: 4, passes: 3, failures: 1, flaky: 1 },
    };
    expect(await progress()).toMatchObject({ status: 'FAILING', completionState: 'IN_PROGRESS', ...all });
    expect(await dataOf(end(3))).toEqual({ missing: [], runHasEnded: true, waitsForMachines: 0 });
    const ended = { status: 'FAILED', completionState: 'COMPLETE' };
    expect(await progress()).toMatchObject({ ...ended, ...all });
    expect(await run()).toMatchObject(ended);
  });

  test('A machine that records several groups joins all of them with one request, each with its platform, browser and tags', async () => {
    const tenant = await sharedStage();
    const browser = (name: string) => ({ browser: { name, version: '141.0' }, tags: [`on-${name}`] });
    const groups = ['chromium', 'firefox', 'webkit'].map((name) => liveGroup(name, [SUMS], browser(name)));
    const { runId, isNewRun, rules, limits } = await dataOf(
      sendStart(tenant, startBody(groups, { ciBuildId: 'browsers' })),
    );
    expect({ isNewRun, rules }).toEqual({ isNewRun: true, rules: [] });
    expect(limits).toEqual({ batchBytes: 524_288, filesPerCall: 100, fileBytes: 1_073_741_824 });
    const instances = ['chromium', 'firefox', 'webkit'].flatMap((name) => liveInstances(name, { [SUMS]: passed() }));
    await dataOf(sendBatch(tenant, runId, { machineId: 'm1', sequence: 0, instances }));
    await dataOf(sendEnd(tenant, runId, { machineId: 'm1', batches: 1 }));
    const run = await read(tenant.api, `/runs/${runId}`);
    expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
    expect(run.groups).toMatchObject(
      ['chromium', 'firefox', 'webkit'].map((name) => ({
        groupId: name,
        tags: [`on-${name}`],
        platform: { osName: 'linux', browserName: name, browserVersion: '141.0' },
        tests: { overall: 1, passes: 1 },
      })),
    );
  });

  test('A large spec file that is sent in parts of 200 tests is stored whole, in the order of its tests', async () => {
    const parts = Math.min(cases(25, 2), 25);
    const tests = Array.from(
      { length: parts * 200 - 180 },
      (_, index) => `big.spec.ts > ${String(index).padStart(4, '0')}`,
    );
    const { api, batch, end, run, progress } = await recording(tests);
    for (let part = 0; part < parts; part += 1) {
      const own = tests.slice(part * 200, part * 200 + 200);
      await dataOf(batch(part, Object.fromEntries(own.map((name) => [name, passed()]))));
      expect(await progress()).toMatchObject({
        tests: { overall: Math.min((part + 1) * 200, tests.length), tests: tests.length },
      });
    }
    await dataOf(end(parts));
    const { completionState, specs } = await run();
    expect(completionState).toBe('COMPLETE');
    const { results } = await read(api, `/instances/${specs[0].instanceId}`);
    expect(results.stats).toMatchObject({ overall: tests.length, passes: tests.length });
    const titles = results.tests.map(({ title }: { title: string[] }) => title[0]);
    expect(titles).toEqual(tests.map((name) => partsOf(name).title[0]));
  });
});

describe('Batches', () => {
  test('A repeated batch changes nothing, even if its content differs or the run has ended', async () => {
    const { environment, runId, batch, end } = await recording([SUMS, REFUSES]);
    const first = await dataOf(batch(0, { [SUMS]: passed() }));
    const rows = await rowsOfRun(environment, runId);
    clock.advance(MINUTE);
    expect(await dataOf(batch(0, { [SUMS]: failed() }))).toEqual(first);
    expect(await rowsOfRun(environment, runId)).toEqual(rows);
    await dataOf(batch(1, { [REFUSES]: failed() }));
    await dataOf(end(2));
    const ended = await rowsOfRun(environment, runId);
    clock.advance(MINUTE);
    await dataOf(batch(1, { [REFUSES]: failed() }));
    await dataOf(end(2));
    expect(await rowsOfRun(environment, runId)).toEqual(ended);
  });

  test('A later batch corrects the result of a test, and the counters, the history and the status follow', async () => {
    const tenant = await recording([SUMS, REFUSES], {}, await service());
    const corrected = { status: 'PASSED', groups: [{ tests: { overall: 2, failures: 0 } }] };
    await dataOf(tenant.batch(0, { [SUMS]: failed() }));
    await dataOf(tenant.batch(1, { [SUMS]: passed(), [REFUSES]: failed() }));
    expect(await historyOf(tenant, partsOf(SUMS))).toMatchObject([{ status: 'passed' }]);
    await dataOf(tenant.batch(2, { [REFUSES]: passed() }));
    await dataOf(tenant.end(3));
    expect(await tenant.run()).toMatchObject({ completionState: 'COMPLETE', ...corrected });
    await dataOf(tenant.batch(3, { [SUMS]: failed() }));
    expect(await tenant.run()).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    expect(await historyOf(tenant, partsOf(SUMS))).toMatchObject([{ status: 'failed' }]);
  });

  test('The answer to a batch names the earlier batches that are missing', async () => {
    const { batch } = await recording([SUMS]);
    expect(await dataOf(batch(0, {}))).toEqual({ sequence: 0, missing: [], cancellation: null });
    expect(await dataOf(batch(4, {}))).toMatchObject({ sequence: 4, missing: [1, 2, 3] });
    expect(await dataOf(batch(2, {}))).toMatchObject({ sequence: 2, missing: [1] });
    expect(await dataOf(batch(1, {}))).toMatchObject({ sequence: 1, missing: [] });
    expect(await dataOf(batch(5, {}))).toMatchObject({ sequence: 5, missing: [3] });
  });

  test('A batch that would leave more than 100 gaps in the batch numbers is refused with TOO_MANY_GAPS and stores nothing, and the error names missing batches', async () => {
    const { services, organizationId, runId, batch, progress } = await recording([SUMS]);
    // The numbers 0, 2, 4 and so on, between which there are 100 gaps.
    const received = Array.from({ length: RECORDING_LIMITS.gapsPerMachine + 1 }, (_, gap) => 2 * gap).join(',');
    const machine = { organizationId, runId, machineId: 'm1' };
    await services.table.update(recordingMachines, machine, { set: [['received', received]] });
    const answer = await batch(2 * RECORDING_LIMITS.gapsPerMachine + 2, { [SUMS]: passed() });
    expect(answer).toMatchObject(refusal('TOO_MANY_GAPS'));
    expect(answer.body.error).toMatch(/Send these first: 1, 3, 5,/);
    expect(await progress()).toMatchObject({ tests: { overall: 0 } });
  });

  test('A batch with a group that was not named at the start is refused with UNKNOWN_GROUP, and stores nothing', async () => {
    const { environment, runId, batch } = await recording([SUMS]);
    const rows = await rowsOfRun(environment, runId);
    const instances = [
      ...liveInstances('retail', { [SUMS]: passed() }),
      ...liveInstances('wholesale', { [SUMS]: passed() }),
    ];
    expect(await batch(0, {}, { instances })).toMatchObject(refusal('UNKNOWN_GROUP'));
    expect(await rowsOfRun(environment, runId)).toEqual(rows);
    expect(await dataOf(batch(0, { [SUMS]: passed() }))).toMatchObject({ sequence: 0 });
  });

  test('A batch records tests and spec files that were not named at the start', async () => {
    const { batch, end, run, progress } = await recording([SUMS]);
    await dataOf(batch(0, { 'cart.spec.ts > added later': failed(), [ROUNDS]: passed() }));
    expect(await progress()).toMatchObject({
      status: 'FAILING',
      specFiles: { total: 2, complete: 1 },
      tests: { overall: 2, passes: 1, failures: 1 },
    });
    await dataOf(batch(1, { [SUMS]: passed(), [NETS]: passed() }));
    await dataOf(end(2));
    const { specs, ...ended } = await run();
    expect(ended).toMatchObject({
      completionState: 'COMPLETE',
      status: 'FAILED',
      groups: [{ tests: { overall: 4, tests: 4, failures: 1 } }],
    });
    expect(specs.map(({ spec }: { spec: string }) => spec).sort()).toEqual(['cart.spec.ts', 'tax.spec.ts']);
  });

  test('Long texts of a batch are shortened to the same limits as in the other recording protocols', async () => {
    const { api, batch, run } = await recording([SUMS]);
    const message = `Error: ${'x'.repeat(RECORDING_LIMITS.errorMessageCharacters)}`;
    const attempts = [
      attempt('failed', { errors: [{ message }], stdout: ['o'.repeat(RECORDING_LIMITS.outputCharacters + 1)] }),
    ];
    await dataOf(batch(0, { [SUMS]: failed({ attempts, tags: ['t'.repeat(200)] }) }));
    const { specs } = await run();
    const [cut] = (await read(api, `/instances/${specs[0].instanceId}`)).results.tests;
    expect(cut.attempts[0].error.message.length).toBeLessThanOrEqual(RECORDING_LIMITS.errorMessageCharacters);
    expect(cut.attempts[0].error.message).toMatch(/^Error: x{1000}/);
    expect(cut.tags[0].length).toBe(RECORDING_LIMITS.tagCharacters);
  });

  test('A batch that exceeds the maximum body size after decompression is refused, and the error suggests smaller parts', async () => {
    const { batch } = await recording([SUMS]);
    const answer = await batch(0, {}, { padding: ' '.repeat(BODY_LIMITS.bytes) });
    expect(answer).toMatchObject({
      status: 413,
      body: { error: expect.stringMatching(/exceeds \d+ bytes.*\. Send smaller parts/) },
    });
  });

  test('A test with an invalid state is left out of its batch and named, and the run records the other tests but cannot pass', async () => {
    const { batch, end, runId, api } = await recording([REFUSES]);
    const [instance] = liveInstances('retail', { [SUMS]: passed(), [REFUSES]: passed() });
    const wrong = { ...instance, tests: [{ ...instance?.tests[0], state: 'green' }, instance?.tests[1]] };
    const message = expect.stringMatching(
      /^The test "cart › sums" of cart\.spec\.ts was not recorded: `state` must be/,
    );
    expect(await dataOf(batch(0, {}, { instances: [wrong] }))).toMatchObject({ leftOut: [message] });
    const problem = { kind: 'leftOutTest', message, file: null, machines: 1, failsRun: true };
    expect(await dataOf(end(1))).toMatchObject({ problems: [problem] });
    expect(await read(api, `/runs/${runId}`)).toMatchObject({
      status: 'FAILED',
      groups: [{ tests: { overall: 1, passes: 1, failures: 0 } }],
      problems: [problem],
    });
  });
});

describe('The end of a machine', () => {
  test('changes nothing until all its batches are stored, and its answer names the missing batches', async () => {
    const { environment, runId, batch, end, run } = await recording([SUMS, REFUSES, ROUNDS]);
    await dataOf(batch(1, { [REFUSES]: passed() }));
    const rows = await rowsOfRun(environment, runId);
    const answer = await dataOf(end(3, { failed: true, errors: ['Error: no tests in tax.spec.ts'] }));
    expect(answer).toEqual({ missing: [0, 2], runHasEnded: false, waitsForMachines: 0 });
    expect(await rowsOfRun(environment, runId)).toEqual(rows);
    await dataOf(batch(2, { [ROUNDS]: passed() }));
    expect(await dataOf(end(3))).toMatchObject({ missing: [0] });
    await dataOf(batch(0, { [SUMS]: passed() }));
    expect(await dataOf(end(3))).toEqual({ missing: [], runHasEnded: true, waitsForMachines: 0 });
    expect(await run()).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
  });

  test('A run whose tests all have results stays in progress until its machine ends', async () => {
    const tenant = await recording([SUMS]);
    const { batch, end, run } = tenant;
    await dataOf(batch(0, { [SUMS]: passed() }));
    expect(await run()).toMatchObject({ completionState: 'IN_PROGRESS', status: 'RUNNING' });
    clock.advance(MINUTE);
    await dataOf(batch(1, { [ROUNDS]: passed() }));
    expect(await run()).toMatchObject({ completionState: 'IN_PROGRESS', status: 'RUNNING' });
    expect(await dataOf(end(2))).toEqual({ missing: [], runHasEnded: true, waitsForMachines: 0 });
    expect(await run()).toMatchObject({
      completionState: 'COMPLETE',
      status: 'PASSED',
      groups: [{ tests: { overall: 2, passes: 2 } }],
    });
    const finished = (await takeEventsOfRun(tenant, tenant.runId)).filter(
      ({ payload }) => payload.event === 'RUN_FINISH',
    );
    expect(finished).toMatchObject([{ payload: { overall: 2, passes: 2 } }]);
  });

  test('A recording without announced tests ends when its machine ends', async () => {
    const { batch, end, run } = await recording([]);
    await dataOf(batch(0, { [SUMS]: passed() }));
    await dataOf(batch(1, { [ROUNDS]: flaky() }));
    expect(await run()).toMatchObject({ completionState: 'IN_PROGRESS', groups: [{ tests: { overall: 2 } }] });
    expect(await dataOf(end(2))).toMatchObject({ runHasEnded: true });
    expect(await run()).toMatchObject({
      completionState: 'COMPLETE',
      status: 'PASSED',
      groups: [{ tests: { overall: 2, passes: 2, flaky: 1 } }],
    });
  });

  test('A recording without any test ends as FAILED', async () => {
    const { end, run } = await recording([]);
    expect(await run()).toMatchObject({ completionState: 'IN_PROGRESS' });
    expect(await dataOf(end(0))).toMatchObject({
      missing: [],
      problems: [{ kind: 'noTests', failsRun: true }],
      runHasEnded: true,
      waitsForMachines: 0,
    });
    expect(await run()).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
  });

  const OUTSIDE = [
    ['failed', { failed: true }],
    ['errors', { errors: ['Error: cannot load tax.spec.ts'] }],
  ] as const;

  test.each(OUTSIDE)('A run fails if a machine ends with `%s`, before or after the run has ended', async (_, how) => {
    const late = await recording([SUMS]);
    // The machine seemed dead, and another one took its place.
    await dataOf(late.start({ machineId: 'm2' }));
    await dataOf(late.start({ machineId: 'm3' }));
    await dataOf(late.batch(0, { [SUMS]: passed() }));
    await dataOf(late.end(0, { machineId: 'm2', ...shard }));
    await dataOf(late.end(0, { machineId: 'm3', ...shard }));
    expect(await late.run()).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
    expect(await dataOf(late.end(1, how))).toMatchObject({ runHasEnded: true });
    expect(await late.run()).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    const early = await recording([SUMS]);
    await dataOf(early.start({ machineId: 'm2' }));
    await dataOf(early.batch(0, { [SUMS]: passed() }));
    await dataOf(early.end(1, { ...how, machines: 2 }));
    expect(await early.run()).toMatchObject({ completionState: 'IN_PROGRESS' });
    await dataOf(early.end(0, { machineId: 'm2', machines: 2 }));
    expect(await early.run()).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
  });

  test.each(OUTSIDE)(
    'A run whose machine ends with `%s` never appears as passed, even if the request is killed after any of its writes',
    async (_, how) => {
      const { services, organizationId, runId, batch, run } = await recording([SUMS]);
      await dataOf(batch(0, { [SUMS]: passed() }));
      const body = EndMachineBody.parse({ machineId: 'm1', batches: 1, ...how });
      let hasEnded = false;
      for (let writes = 0; !hasEnded; writes += 1) {
        const ending = endMachine(dyingAfter(services, writes), { organizationId, runId, body });
        const death = await ending.then(() => undefined, String);
        if (death !== undefined) expect(death).toMatch(/The process has died/);
        hasEnded = death === undefined;
        expect((await run()).status, `after ${writes} writes`).not.toBe('PASSED');
      }
      expect(await run()).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    },
  );

  test('A run whose machine ends with `keepOpen` ends only after an import with complete=true', async () => {
    const { api, projectId, ciBuildId, batch, end, run } = await recording([SUMS]);
    await dataOf(batch(0, { [SUMS]: passed() }));
    expect(await dataOf(end(1, { keepOpen: true }))).toMatchObject({ runHasEnded: false });
    expect(await run()).toMatchObject({ completionState: 'IN_PROGRESS' });
    await imported({ api, projectId }, '', `ciBuildId=${ciBuildId}&complete=true`);
    expect(await run()).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
  });
});

describe('Several machines', () => {
  test('A run stays open until all its machines have ended, even if the first machine ended before the second one started', async () => {
    const { api, runId, ...first } = await recording([SUMS]);
    await dataOf(first.batch(0, { [SUMS]: passed() }));
    expect(await dataOf(first.end(1, shard))).toEqual({ missing: [], runHasEnded: false, waitsForMachines: 1 });
    clock.advance(10 * MINUTE);
    const second = startBody([liveGroup('retail', [ROUNDS])], { machineId: 'm2' });
    expect(await dataOf(first.start({ machineId: 'm2', groups: second.groups }))).toMatchObject({
      runId,
      isNewRun: false,
    });
    await dataOf(first.batch(0, { [ROUNDS]: passed() }, { machineId: 'm2' }));
    expect(await first.run()).toMatchObject({ completionState: 'IN_PROGRESS' });
    expect(await dataOf(first.end(1, { machineId: 'm2', ...shard }))).toMatchObject({ runHasEnded: true });
    expect(await read(api, `/runs/${runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      status: 'PASSED',
      groups: [{ tests: { overall: 2, passes: 2 } }],
    });
  });

  test('The end of a restarted machine replaces that of the machine that died, but its results replace none', async () => {
    const tenant = await recording([SUMS, ROUNDS]);
    const { start, batch, end, run } = tenant;
    await dataOf(start({ machineId: 'm2' }));
    await dataOf(batch(0, { [SUMS]: passed() }));
    await dataOf(batch(0, { [ROUNDS]: failed() }, { machineId: 'm2' }));
    await dataOf(end(1, shard));
    await dataOf(start({ machineId: 'm2-again' }));
    await dataOf(batch(0, { [ROUNDS]: passed() }, { machineId: 'm2-again' }));
    expect(await dataOf(end(1, { machineId: 'm2-again', ...shard }))).toMatchObject({ runHasEnded: true });
    expect(await run()).toMatchObject({
      completionState: 'COMPLETE',
      status: 'FAILED',
      groups: [{ tests: { overall: 3, passes: 2, failures: 1 } }],
    });
    const finished = (await takeEventsOfRun(tenant, tenant.runId)).filter(
      ({ payload }) => payload.event === 'RUN_FINISH',
    );
    expect(finished).toHaveLength(1);
  });

  test('A start that is delivered once more after all machines have ended does not keep the run open', async () => {
    const { start, batch, end, run } = await recording([SUMS, ROUNDS]);
    await dataOf(start({ machineId: 'm2' }));
    await dataOf(batch(0, { [SUMS]: passed() }));
    await dataOf(end(1, shard));
    await dataOf(end(0, { machineId: 'm2', ...shard }));
    await dataOf(start());
    await dataOf(batch(1, { [ROUNDS]: passed() }));
    expect(await run()).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
  });

  test('If a machine dies before it reports its end, the run times out 30 minutes after the last batch, and fails', async () => {
    const { start, batch, end, run, timeOut } = await recording([SUMS, ROUNDS]);
    await dataOf(start({ machineId: 'm2' }));
    await dataOf(batch(0, { [SUMS]: passed(), [ROUNDS]: passed() }));
    await dataOf(end(1, shard));
    clock.advance(29 * MINUTE);
    await timeOut();
    expect(await run()).toMatchObject({ completionState: 'IN_PROGRESS' });
    clock.advance(2 * MINUTE);
    await timeOut();
    expect(await run()).toMatchObject({ completionState: 'TIMEOUT', status: 'FAILED' });
  });

  test('A batch without results postpones the timeout of the run', async () => {
    const { batch, run, timeOut } = await recording([SUMS]);
    clock.advance(29 * MINUTE);
    await dataOf(batch(0, {}));
    clock.advance(29 * MINUTE);
    await timeOut();
    expect(await run()).toMatchObject({ completionState: 'IN_PROGRESS' });
    clock.advance(2 * MINUTE);
    await timeOut();
    expect(await run()).toMatchObject({ completionState: 'TIMEOUT' });
  });
});

describe('A recording is refused or goes on:', () => {
  test('A cancelled run stores the batches of a machine that has started and answers with the cancellation, but refuses a new machine', async () => {
    const { api, runId, start, batch, end, run } = await recording([SUMS, REFUSES]);
    expect(await api.put(`/runs/${runId}/cancel`)).toMatchObject({ status: 200 });
    const cancellation = { actor: 'api:CI', canceledAt: expect.any(String), reason: expect.anything() };
    expect(await dataOf(batch(0, { [SUMS]: passed() }))).toMatchObject({ sequence: 0, cancellation });
    expect(await dataOf(start())).toMatchObject({ runId, cancellation });
    expect(await start({ machineId: 'm2' })).toMatchObject(refusal('RUN_CANCELLED'));
    expect(await dataOf(end(1))).toMatchObject({ missing: [], runHasEnded: true });
    expect(await run()).toMatchObject({
      completionState: 'CANCELED',
      groups: [{ tests: { overall: 1, passes: 1 } }],
    });
  });

  test('A run that ended more than a day ago refuses a new machine with RUN_EXPIRED, but answers a repeated start as before', async () => {
    const { start, batch, end } = await recording([SUMS]);
    const again = await dataOf(start());
    await dataOf(batch(0, { [SUMS]: passed() }));
    await dataOf(end(1));
    clock.advance(24 * 60 * MINUTE + 1);
    expect(await start({ machineId: 'm2' })).toMatchObject(refusal('RUN_EXPIRED'));
    expect(await dataOf(start())).toEqual(again);
  });

  test('A run is cancelled by the failure that reaches `cancelAfterFailures`, and the answer to the batch with this failure says so', async () => {
    const { batch, run } = await recording([SUMS, REFUSES, ROUNDS], { cancelAfterFailures: 2 });
    expect(await dataOf(batch(0, { [SUMS]: failed() }))).toMatchObject({ cancellation: null });
    expect(await dataOf(batch(1, { [REFUSES]: failed() }))).toMatchObject({
      cancellation: { actor: 'rundown', reason: 'failFast' },
    });
    expect(await run()).toMatchObject({ completionState: 'CANCELED', status: 'FAILED' });
  });

  test('A run of another organization is not found, and a machine that has not started is refused with MACHINE_NOT_STARTED', async () => {
    const { api, runId, tenant } = await recording([SUMS]);
    const stranger = await tenant('Stranger');
    const file = {
      groupId: 'retail',
      spec: 'cart.spec.ts',
      type: 'attachment',
      name: 'a',
      contentType: 'text/plain',
      bytes: 1,
    };
    const files = [{ ...file, sha256: 'a'.repeat(64) }];
    const requests = [
      (of: Pick<Stage, 'api'>, machineId: string) => sendBatch(of, runId, { machineId, sequence: 0, instances: [] }),
      (of: Pick<Stage, 'api'>, machineId: string) => sendFiles(of, runId, { machineId, files }),
      (of: Pick<Stage, 'api'>, machineId: string) => sendEnd(of, runId, { machineId, batches: 0 }),
    ];
    for (const send of requests) {
      expect(await send(stranger, 'm1')).toMatchObject({ status: 404, body: { error: 'Run not found' } });
      expect(await send({ api }, 'm2')).toMatchObject(refusal('MACHINE_NOT_STARTED'));
    }
    expect(
      await sendStart(
        { api: stranger.api, projectId: (await sharedStage()).projectId },
        startBody([liveGroup('a', [SUMS])]),
      ),
    ).toMatchObject({ status: 404 });
  });
});

describe('Files', () => {
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
  const fileOf = (content: string, more: object = {}) => ({
    groupId: 'retail',
    spec: 'cart.spec.ts',
    testId: testIdOf('retail', SUMS),
    attempt: 1,
    type: 'attachment',
    name: 'cart',
    fileName: 'cart.txt',
    contentType: 'text/plain',
    bytes: content.length,
    sha256: sha256(content),
    ...more,
  });
  const put = async (link: string, content: string, type = 'text/plain') =>
    expect((await fetch(link, { method: 'PUT', body: content, headers: { 'content-type': type } })).status).toBe(200);

  test('A file is listed under the attempt that produced it, and gets no second upload link after its upload', async () => {
    // The object store checks the expiry of links against the real time.
    vi.useRealTimers();
    const { api, runId, batch, run, environment } = await recording([SUMS]);
    await dataOf(batch(0, { [SUMS]: failed() }));
    const announce = (...files: object[]) => dataOf(sendFiles({ api }, runId, { machineId: 'm1', files }));
    const text = fileOf('three pieces');
    const { files } = await announce(
      text,
      text,
      fileOf('picture', { type: 'screenshot', name: 'end', contentType: 'image/png' }),
    );
    expect(files).toMatchObject([1, 2, 3].map(() => ({ uploadUrl: expect.any(String), reason: null })));
    await put(files[0].uploadUrl, 'three pieces');
    const { specs } = await run();
    const { results } = await read(api, `/instances/${specs[0].instanceId}`);
    expect(results.screenshots).toMatchObject([{ name: 'end', testAttemptIndex: 1, bytes: null }]);
    expect(results.attachments).toHaveLength(1);
    const attachment = async () => (await read(api, `/instances/${specs[0].instanceId}`)).results.attachments[0];
    await expect.poll(async () => (await attachment()).bytes).toBe(12);
    expect(await attachment()).toMatchObject({
      name: 'cart',
      filename: 'cart.txt',
      contentType: 'text/plain',
      testId: testIdOf('retail', SUMS),
      testAttemptIndex: 1,
    });
    const rows = await rowsOfRun(environment, runId);
    expect(await announce(text)).toEqual({ files: [{ uploadUrl: null, reason: 'stored' }] });
    expect(await rowsOfRun(environment, runId)).toEqual(rows);
    const other = await announce({ ...text, attempt: 0 }, fileOf('four pieces'));
    expect(other.files).toMatchObject([{ reason: null }, { reason: null }]);
  });

  test('A file gets no upload link if it is too large, if its spec file has neither been announced nor recorded, or if its retention has ended', async () => {
    const stage = await service();
    const { services, organizationId, projectId, api, environment } = stage;
    const settings = { retention: { resultsDays: 3, evidenceDays: 2, filesDays: 1 } };
    await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
    const { runId, batch } = await recording([SUMS], {}, stage);
    const rows = await rowsOfRun(environment, runId);
    const files = [
      fileOf('large', { bytes: RECORDING_LIMITS.artifactBytes + 1 }),
      fileOf('unknown', { spec: 'unknown.spec.ts' }),
      fileOf('unknown', { groupId: 'wholesale' }),
    ];
    const announce = () => dataOf(sendFiles({ api }, runId, { machineId: 'm1', files }));
    expect((await announce()).files).toEqual(
      ['tooLarge', 'unknownSpec', 'unknownSpec'].map((reason) => ({ uploadUrl: null, reason })),
    );
    expect(await rowsOfRun(environment, runId)).toEqual(rows);
    await dataOf(batch(0, { 'unknown.spec.ts > found later': failed() }));
    expect((await announce()).files).toMatchObject([
      { reason: 'tooLarge' },
      { uploadUrl: expect.any(String), reason: null },
      { reason: 'unknownSpec' },
    ]);
    const announced = await rowsOfRun(environment, runId);
    clock.advance(25 * 60 * MINUTE);
    expect((await announce()).files).toEqual(files.map(() => ({ uploadUrl: null, reason: 'expired' })));
    expect(await rowsOfRun(environment, runId)).toEqual(announced);
  });

  test('One request can announce 100 files of several spec files, and a request with more files is refused', async () => {
    const specs = Array.from({ length: 5 }, (_, index) => `spec-${index}.spec.ts > test`);
    const { api, runId, batch, run } = await recording(specs);
    await dataOf(batch(0, Object.fromEntries(specs.map((name) => [name, failed()]))));
    const files = Array.from({ length: 100 }, (_, index) => {
      const name = specs[index % 5] ?? '';
      return fileOf(`content ${index}`, { ...partsOf(name), testId: testIdOf('retail', name), name: `file ${index}` });
    });
    const { files: links } = await dataOf(sendFiles({ api }, runId, { machineId: 'm1', files }));
    expect(new Set(links.map(({ uploadUrl }: { uploadUrl: string }) => new URL(uploadUrl).pathname)).size).toBe(100);
    for (const { spec, instanceId } of (await run()).specs) {
      const { attachments } = (await read(api, `/instances/${instanceId}`)).results;
      const own = files.flatMap((_, index) => (partsOf(specs[index % 5] ?? '').spec === spec ? `file ${index}` : []));
      expect(attachments.map(({ name }: { name: string }) => name).sort()).toEqual(own.sort());
    }
    const more = [...files, fileOf('one more')];
    expect(await sendFiles({ api }, runId, { machineId: 'm1', files: more })).toMatchObject({ status: 400 });
  });
});
