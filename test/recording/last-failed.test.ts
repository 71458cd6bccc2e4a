/** Which tests a later try of a build has to run again, and when it has to run everything. */
import { describe, expect, test } from 'vitest';
import { deriveTestKey, deriveTestPlace } from '#shared/model/ids.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import {
  failed,
  partsOf,
  passed,
  skipped,
  type TestName,
  type TestState,
  testIdOf,
} from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { imported, junit } from '#test/imports/reports.ts';

type Stage = TestService & Tenant;
type Tests = Readonly<Record<TestName, TestState>>;

const SUMS = 'cart.spec.ts > cart > sums';
const ROUNDS = 'tax.spec.ts > rounds';
const DID_NOT_RUN = skipped({ _s: 'skipped' });

const placeOf = (name: TestName): string =>
  deriveTestPlace({ groupId: 'retail', spec: partsOf(name).spec, testKey: deriveTestKey(testIdOf('retail', name)) });

const isOpen = ({ _s }: TestState): boolean => _s !== 'passed';

interface Machine {
  readonly id?: string;
  readonly part?: string;
  readonly tests: Tests;
  /** Further members of the request that ends the machine. `null`: it does not end. */
  readonly end?: object | null;
}

/** Records the first try of the build `b` with these machines. */
async function recordFirstTry(stage: Stage, machines: readonly Machine[]): Promise<void> {
  for (const { id = 'm1', part = 's 1/1', tests, end = {} } of machines) {
    clock.advance(1000);
    const names = Object.keys(tests);
    const more = { machineId: id, ciBuildId: 'b', part, try: 1 };
    const { runId } = await dataOf(sendStart(stage, startBody([liveGroup('retail', names)], more)));
    const instances = liveInstances('retail', tests);
    await dataOf(sendBatch(stage, runId, { machineId: id, sequence: 0, instances }));
    const toRepeat = names.filter((name) => tests[name] && isOpen(tests[name])).map(placeOf);
    if (end) await dataOf(sendEnd(stage, runId, { machineId: id, batches: 1, toRepeat, ...end }));
  }
}

const ask = ({ api, projectId }: Stage, more: object = {}) =>
  dataOf(api.post(`/projects/${projectId}/last-failed`, { ciBuildId: 'b', try: 2, part: 's 1/1', ...more }));

describe('A later try of a build', () => {
  test('repeats the tests that failed or did not run, each shard its own', async () => {
    const stage = await service();
    await recordFirstTry(stage, [
      { id: 'm1', part: 's 1/2', tests: { [SUMS]: failed() } },
      { id: 'm2', part: 's 2/2', tests: { [ROUNDS]: DID_NOT_RUN } },
    ]);
    expect(await ask(stage, { part: 's 1/2' })).toMatchObject({ repeat: 'tests', tests: [{ key: placeOf(SUMS) }] });
    expect(await ask(stage, { part: 's 2/2' })).toMatchObject({ repeat: 'tests', tests: [{ key: placeOf(ROUNDS) }] });
  });

  test('repeats nothing if no test of its shard failed, and each test of the build ran', async () => {
    const stage = await service();
    await recordFirstTry(stage, [
      { id: 'm1', part: 's 1/2', tests: { [SUMS]: passed() } },
      { id: 'm2', part: 's 2/2', tests: { [ROUNDS]: failed() } },
    ]);
    expect(await ask(stage, { part: 's 1/2' })).toMatchObject({ repeat: 'nothing', reason: null, tests: [] });
  });

  test.each<[reason: string, machines: readonly Machine[], more?: object]>([
    ['Nothing says that this is a later try', [{ tests: { [SUMS]: failed() } }], { try: null }],
    ['This is the first try of its build', [{ tests: { [SUMS]: failed() } }], { try: 1 }],
    ['has no results', []],
    ['has not ended', [{ tests: { [SUMS]: failed() }, end: null }]],
    ['failed for another reason', [{ tests: { [SUMS]: failed() }, end: { failed: true } }]],
    ['failed for another reason', [{ tests: { [SUMS]: passed() }, end: { errors: ['No database'] } }]],
    ['with these tests and this shard, reported nothing', [{ tests: { [SUMS]: failed() }, part: 's 1/2' }]],
    ['reported by another source', [{ tests: { [SUMS]: failed() }, end: { toRepeat: [] } }]],
    ['does not say which tests', [{ tests: { [SUMS]: failed() }, end: { toRepeat: null } }]],
    [
      'did not run',
      [
        { id: 'm1', tests: { [SUMS]: passed() } },
        { id: 'm2', part: 's 2/2', tests: { [ROUNDS]: DID_NOT_RUN } },
      ],
    ],
  ])('runs everything, because the try before this one: %s', async (reason, machines, more) => {
    const stage = await service();
    await recordFirstTry(stage, machines);
    expect(await ask(stage, more)).toMatchObject({
      repeat: 'everything',
      reason: expect.stringContaining(reason),
      tests: [],
    });
  });

  test('repeats failed tests of an imported report by their names', async () => {
    const stage = await service();
    await imported(
      stage,
      junit({ 'cart.test.ts': { sums: 'failed', rounds: 'passed' } }),
      'ciBuildId=b&try=1&complete=true&leg=l',
    );
    expect(await ask(stage, { part: null, leg: 'l' })).toMatchObject({
      repeat: 'tests',
      tests: [{ spec: 'cart.test.ts', title: ['sums'] }],
    });
  });

  describe('for a runner that sends reports', () => {
    const upload = (stage: Stage, spec: string, outcome: 'passed' | 'failed', query: string) =>
      imported(stage, junit({ [spec]: { sums: outcome } }), `ciBuildId=b&try=1&leg=${spec}&${query}`);
    const askAs = (stage: Stage, leg: string, name: string | undefined, group?: string) =>
      ask(stage, { part: null, leg, group, job: name === undefined ? null : { name } });
    const specsOf = async (answer: ReturnType<typeof ask>) =>
      (await answer).tests.map(({ spec }: { readonly spec: string }) => spec).toSorted();

    test('repeats what the same job reported, of all jobs with its name, and of the same group', async () => {
      const stage = await service();
      await upload(stage, 'a.test.ts', 'failed', 'job=unit&group=linux');
      await upload(stage, 'b.test.ts', 'failed', 'job=unit&group=windows');
      await upload(stage, 'c.test.ts', 'failed', 'job=e2e');
      await upload(stage, 'd.test.ts', 'passed', 'job=docs');
      expect(await specsOf(askAs(stage, 'a.test.ts', 'unit'))).toEqual(['a.test.ts', 'b.test.ts']);
      expect(await specsOf(askAs(stage, 'b.test.ts', 'unit', 'windows'))).toEqual(['b.test.ts']);
      expect(await specsOf(askAs(stage, 'd.test.ts', undefined))).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts']);
      expect(await askAs(stage, 'c.test.ts', 'docs')).toMatchObject({ repeat: 'nothing', reason: null });
    });

    test('runs everything for a leg that reported nothing, because it may have died before its report', async () => {
      const stage = await service();
      await upload(stage, 'a.test.ts', 'passed', 'job=unit&group=linux');
      expect(await askAs(stage, 'other', 'unit', 'linux')).toMatchObject({
        repeat: 'everything',
        reason: expect.stringContaining('Nothing proves that this command reported'),
      });
      expect(await ask(stage, { part: null, job: { name: 'unit' } })).toMatchObject({
        repeat: 'everything',
        reason: expect.stringContaining('does not say which of the commands'),
      });
    });

    test('repeats a test that failed in two jobs in both of them', async () => {
      const stage = await service();
      const report = junit({ 'a.test.ts': { sums: 'failed' } });
      for (const job of ['unit', 'e2e']) await imported(stage, report, `ciBuildId=b&try=1&job=${job}&leg=${job}`);
      for (const job of ['unit', 'e2e'])
        expect(await specsOf(askAs(stage, job, job))).toEqual(expect.arrayContaining(['a.test.ts']));
    });

    test('runs everything if two processes ask for one leg in one try, because one of them may have died', async () => {
      const stage = await service();
      const askFrom = (process: string, number: number) =>
        ask(stage, { part: null, leg: 'a.test.ts', process, try: number });
      await askFrom('first', 1);
      await upload(stage, 'a.test.ts', 'failed', 'job=unit');
      expect(await askFrom('third', 2)).toMatchObject({ repeat: 'tests' });
      expect(await askFrom('third', 2)).toMatchObject({ repeat: 'tests' });
      const sameLeg = { repeat: 'everything', reason: expect.stringContaining('cannot be told apart') };
      expect(await askFrom('fourth', 2)).toMatchObject(sameLeg);
      await askFrom('second', 1);
      expect(await askFrom('third', 2)).toMatchObject(sameLeg);
    });

    test('runs everything in a third try, if the job did not run in the second one', async () => {
      const stage = await service();
      await upload(stage, 'a.test.ts', 'failed', 'job=unit');
      await upload(stage, 'b.test.ts', 'failed', 'job=e2e');
      const second = 'ciBuildId=b&try=2&job=unit&leg=a.test.ts';
      await imported(stage, junit({ 'a.test.ts': { sums: 'passed' } }), second);
      const third = { part: null, try: 3 };
      const [unit, other] = [
        { leg: 'a.test.ts', job: { name: 'unit' } },
        { leg: 'b.test.ts', job: { name: 'e2e' } },
      ];
      expect(await ask(stage, { ...third, ...unit })).toMatchObject({ repeat: 'nothing' });
      expect(await ask(stage, { ...third, ...other })).toMatchObject({ repeat: 'everything' });
    });
  });

  test('runs everything if two machines of the try before this one ran the same part, of which each may have been that of the other', async () => {
    const stage = await service();
    await recordFirstTry(stage, [
      { id: 'm1', tests: { [SUMS]: failed() } },
      { id: 'm2', tests: { [SUMS]: passed() } },
    ]);
    expect(await ask(stage)).toMatchObject({
      repeat: 'everything',
      reason: expect.stringContaining('cannot be told apart'),
    });
  });

  test('learns nothing about the builds of another organization', async () => {
    const [stage, other] = [await service(), await service()];
    await recordFirstTry(stage, [{ tests: { [SUMS]: failed() } }]);
    const { status } = await other.api.post(`/projects/${stage.projectId}/last-failed`, { ciBuildId: 'b', try: 2 });
    expect(status).toBe(404);
    expect(await ask(other)).toMatchObject({ repeat: 'everything', run: null });
  });
});
