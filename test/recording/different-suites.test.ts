import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { IS_DEEP } from '#test/harness/cases.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { passed, runBody, type SuiteGroup, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { logLines, service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const SPEC = 'cart.spec.ts';
/**
 * The maximum number of round trips to the table to start one machine while up to seven others start. Chance decides how
 * often they conflict: 19 to 22 trips in 30 repetitions on a busy machine, with a standard deviation of 0.8.
 */
const MOST_TRIPS = 30;
/** A suite with one spec file of `count` tests, which are numbered from `from`. */
const suite = (from: number, count: number): SuiteGroup[] => [
  suiteGroup(
    'retail',
    Array.from({ length: count }, (_, index) => `${SPEC} > ${from + index}`),
  ),
];

/** Starts one machine per suite, all at the same time. Returns their answers and table costs. */
async function startTogether(stage: Stage, suites: readonly SuiteGroup[][]) {
  const before = logLines.length;
  const answers = await Promise.all(
    suites.map((own, machine) => {
      const body = gzipSync(JSON.stringify(runBody(stage.projectId, own)));
      const headers = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-currents-idempotency-key': `machine ${machine}`,
      };
      return stage.api.send('POST', '@/runs/v1', Uint8Array.from(body), { headers });
    }),
  );
  const costs = logLines.slice(before).flatMap((line) => {
    const { operationId, trips, writeUnits } = JSON.parse(line);
    return operationId === 'createRun' && trips !== undefined ? [{ trips, writeUnits }] : [];
  });
  return { answers, costs };
}

const most = (numbers: readonly number[]) => numbers.reduce((one, other) => Math.max(one, other), 0);

describe('Concurrent suites of one spec file', () => {
  /**
   * `npm test` tries only eight machines, because they conflict more often than two. The next test covers a conflict of
   * two large suites.
   */
  test.each(IS_DEEP ? [[2, 5000] as const, [8, 1250] as const] : [[8, 1250] as const])(
    'When %i machines with different suites of %i tests start concurrently, the run expects all tests, and no machine exceeds the limits of round trips and write units',
    async (machines, tests) => {
      const stage = await service();
      const suites = Array.from({ length: machines }, (_, machine) => suite(machine * tests, tests));
      const { answers, costs } = await startTogether(stage, suites);
      expect(answers.map(({ status }) => status)).toEqual(suites.map(() => 200));
      const run = await read(stage.api, `/runs/${answers[0]?.body.runId}`);
      expect(run.groups).toMatchObject([{ specCount: 1, tests: { tests: 10_000 } }]);
      expect(costs).toHaveLength(machines);
      expect(most(costs.map(({ trips }) => trips))).toBeLessThanOrEqual(MOST_TRIPS);
      // A row with 10,000 expected tests is 130 KB, so each write of it costs 130 units. A start took 25 to 30 units in
      // 30 repetitions, and one of the next test 36 to 78.
      expect(most(costs.map(({ writeUnits }) => writeUnits))).toBeLessThanOrEqual(200);
    },
  );

  test.each([
    [2, 10_000],
    [IS_DEEP ? 8 : 4, 5001],
  ])(
    'If any two of %i concurrent suites together exceed the limit of tests per spec file, all but one of the suites are refused',
    async (machines, tests) => {
      const stage = await service();
      const suites = Array.from({ length: machines }, (_, machine) => suite(machine * tests, tests));
      const { answers, costs } = await startTogether(stage, suites);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...suites.slice(1).map(() => 400)]);
      for (const { status, body } of answers) {
        if (status === 400) expect(body.error).toMatch(/at most 10000 tests per group\. Split the file/);
      }
      expect(most(costs.map(({ trips }) => trips))).toBeLessThanOrEqual(MOST_TRIPS);
      expect(most(costs.map(({ writeUnits }) => writeUnits))).toBeLessThanOrEqual(200);
      const taken = answers.find(({ status }) => status === 200);
      const run = await read(stage.api, `/runs/${taken?.body.runId}`);
      expect(run.groups).toMatchObject([{ specCount: 1, tests: { tests } }]);
    },
  );

  test('When 8 machines with overlapping suites start concurrently, the run expects each test once', async () => {
    const stage = await service();
    const suites = Array.from({ length: 8 }, (_, machine) => suite(machine * 300, 1000));
    const { answers } = await startTogether(stage, suites);
    expect(answers.map(({ status }) => status)).toEqual(suites.map(() => 200));
    const run = await read(stage.api, `/runs/${answers[0]?.body.runId}`);
    expect(run.groups).toMatchObject([{ tests: { tests: 3100 } }]);
  });
});

describe('A spec file whose tests come from several suites', () => {
  const small = [suite(0, 2), suite(2, 2), suite(1, 2)];

  async function joined(stage: Stage) {
    let run = await startRun(stage, small[0] ?? []);
    for (const other of small.slice(1)) run = await startRun(stage, other);
    return { ...run, claimed: await claim(stage, run, SPEC) };
  }

  test('is complete when its last test is reported', async () => {
    const stage = await service();
    const { runId, claimed } = await joined(stage);
    for (const index of [3, 0, 2]) await createRecord(stage, claimed, `${SPEC} > ${index}`, passed());
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ completionState: 'IN_PROGRESS' });
    await createRecord(stage, claimed, `${SPEC} > 1`, passed());
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      groups: [{ tests: { tests: 4, overall: 4, passes: 4 } }],
    });
  });

  test('expects all its tests again after a reset', async () => {
    const stage = await service();
    const { runId, claimed } = await joined(stage);
    await createRecord(stage, claimed, `${SPEC} > 3`, passed());
    const machineId = (await read(stage.api, `/runs/${runId}`)).specs[0].machineId;
    await stage.api.put(`/runs/${runId}/reset`, { machineId: [machineId] });
    await startRun(stage, suite(4, 1));
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ groups: [{ tests: { tests: 5, overall: 0 } }] });
  });

  test('can have at most 10,000 tests', async () => {
    const stage = await service();
    const run = await startRun(stage, suite(0, 10_000));
    const claimed = await claim(stage, run, SPEC);
    const answer = await stage.api.post('@/runs/v1', runBody(stage.projectId, suite(9_999, 2)));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('Split the file') } });
    await createRecord(stage, claimed, `${SPEC} > 5`, passed());
  });
});
