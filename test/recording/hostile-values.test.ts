import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Recorder } from '#infra/client/reporters/recorder.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { cases } from '#test/harness/cases.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { claim, createRecord, firstMessage, startRun } from '#test/harness/recording.ts';
import { batchInstance, sendUpload, uploadBody } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, passed, suiteGroup, type TestName } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { imported } from '#test/imports/reports.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

/** Values that a test may have by accident or on purpose, whatever the type of the field is. */
const HOSTILE: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  1e308,
  true,
  [],
  {},
  [[['nested']]],
  { toString: 'no function' },
  'x'.repeat(MODEL_LIMITS.idCharacters + 1),
  'x'.repeat(MODEL_LIMITS.titlePartCharacters + 1),
  'y'.repeat(100_000),
  ['z'.repeat(MODEL_LIMITS.titleCharacters + 1)],
  Array.from({ length: MODEL_LIMITS.titleParts + 1 }, (_, index) => `part ${index}`),
  Array.from({ length: MODEL_LIMITS.titleParts }, () => 'w'.repeat(MODEL_LIMITS.titlePartCharacters)),
  Array.from({ length: 2000 }, (_, index) => `tag ${index}`),
  'lone \ud83d surrogate',
  '\ufffe\uffff\u0000',
  '<b>&amp;</b> `|`',
  '2026-02-30T25:61:61Z',
];

/** Where a value can stand, as a path in the JSON of a test. */
const PLACES = [
  'testId',
  'title',
  'title.0',
  'state',
  'isFlaky',
  'expectedStatus',
  'attempts',
  'attempts.0',
  'attempts.0.state',
  'attempts.0.status',
  'attempts.0.startTime',
  'attempts.0.duration',
  'attempts.0.workerIndex',
  'attempts.0.errors',
  'attempts.0.errors.0',
  'attempts.0.errors.0.message',
  'attempts.0.errors.0.stack',
  'attempts.0.errors.0.location',
  'attempts.0.steps',
  'attempts.0.steps.0.title',
  'attempts.0.stdout',
  'attempts.0.stdout.0',
  'annotations',
  'annotations.0.type',
  'annotations.0.description',
  'tags',
  'tags.0',
] as const;

/** The names of these values in a CTRF report. */
const CTRF_NAMES: ReadonlyMap<string, string> = new Map([
  ['testId', 'id'],
  ['title', 'name'],
  ['state', 'status'],
  ['annotations', 'extra'],
]);

/** Frameworks report what their types exclude. */
const untyped = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Replaces the value at the path. */
function withValue(of: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(of)) return of.map((one, index) => (String(index) === name ? withValue(one, rest, value) : one));
  if (typeof of !== 'object' || of === null) return of;
  const members = Object.entries(of);
  const changed = members.map(([key, one]) => [key, key === name ? withValue(one, rest, value) : one]);
  return Object.fromEntries(changed);
}

const hostile = fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom(...HOSTILE));
type Hostile = readonly [place: (typeof PLACES)[number], value: unknown];

/** A spec file with a failed test, and a test in which one value is hostile. */
const GOOD = 'fails';
const specOf = (index: number): string => `part-${index}.spec.ts`;
const namesOf = (index: number): [TestName, TestName] => [`${specOf(index)} > ${GOOD}`, `${specOf(index)} > hostile`];

const FULL = {
  isFlaky: false,
  expectedStatus: 'passed',
  annotations: [{ type: 'owner', description: 'shop' }],
  tags: ['slow'],
};
const ATTEMPT = {
  steps: [{ title: 'click', category: 'pw:api', duration: 1, steps: [] }],
  stdout: ['out'],
  stderr: [],
};
const failing = () => failed({ attempts: [{ ...attempt('failed', { errors: [error('Error: no')] }), ...ATTEMPT }] });

const drawn = (): readonly Hostile[] => fc.sample(hostile, { numRuns: cases(600, 60), ...SEED });
const SEED = process.env['PROPERTY_FACTOR'] === undefined ? { seed: 53 } : {};

type Setting = Awaited<ReturnType<typeof service>>;

/** Expects that the run has the failed test of each spec file, and that it did not pass. */
async function expectOthers({ api }: Setting, runId: string, count: number) {
  const { specs, status, problems } = await read(api, `/runs/${runId}`);
  const lost = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !specs.some(({ spec, results }: Spec) => spec === specOf(index) && (results?.stats.failures ?? 0) > 0),
  );
  expect(lost).toEqual([]);
  expect(status).toBe('FAILED');
  return { specs, problems };
}
interface Spec {
  readonly spec: string;
  readonly results: { readonly stats: { readonly failures: number; readonly overall: number } } | null;
}

describe('A hostile value of one test', () => {
  test('A batch of our own reporters records all other tests, and says which test was left out', async () => {
    const setting = await service();
    const all = drawn();
    // A test that is left out would keep the run waiting if it were expected.
    const expected = all.map((_, index) => namesOf(index)[0]);
    const suite = [liveGroup('retail', expected)];
    const { runId } = await dataOf(sendStart(setting, startBody(suite)));
    let leftOut = 0;
    for (const [index, [place, value]] of all.entries()) {
      const [good, bad] = namesOf(index);
      const [instance] = liveInstances('retail', { [good]: failing(), [bad]: failing() });
      const [first, second] = instance?.tests ?? [];
      const odd = withValue({ ...FULL, ...second }, place.split('.'), value);
      const body = { machineId: 'm1', sequence: index, instances: [{ ...instance, tests: [odd, first] }] };
      const answer = await dataOf(sendBatch(setting, runId, body));
      leftOut += answer.leftOut?.length ?? 0;
    }
    await dataOf(sendEnd(setting, runId, { machineId: 'm1', batches: all.length }));
    const { specs } = await expectOthers(setting, runId, all.length);
    const recorded = specs.reduce((sum: number, { results }: Spec) => sum + (results?.stats.overall ?? 0), 0);
    expect(recorded + leftOut).toBe(2 * all.length);
  });

  test('An upload of the published client records all other tests, and says which test was left out', async () => {
    const setting = await service();
    const all = drawn();
    const suite = [
      suiteGroup(
        'retail',
        all.flatMap((_, index) => namesOf(index)),
      ),
    ];
    const instances = all.map(([place, value], index) => {
      const [good, bad] = namesOf(index);
      const instance = batchInstance('retail', specOf(index), { [good]: failing(), [bad]: failing() });
      const [first, second] = instance.results.tests;
      const path = place.replace(/^attempts\.0\.state/, 'attempts.0._s').split('.');
      return { ...instance, results: { tests: [withValue({ ...FULL, ...second }, path, value), first] } };
    });
    const answer = await sendUpload(setting, uploadBody(setting, suite, instances));
    expect(answer, JSON.stringify(answer.body).slice(0, 500)).toMatchObject({ status: 200 });
    const { runId } = answer.body;
    const { specs, status } = await read(setting.api, `/runs/${runId}`);
    expect(specs.filter(({ results }: Spec) => (results?.stats.failures ?? 0) === 0)).toEqual([]);
    expect(['FAILED', 'FAILING']).toContain(status);
  });

  test('A message of the published reporter is refused or recorded alone, so that all other tests are recorded', async () => {
    const setting = await service();
    const all = drawn().slice(0, cases(200, 25));
    const suite = [
      suiteGroup(
        'retail',
        all.flatMap((_, index) => namesOf(index)),
      ),
    ];
    const run = await startRun(setting, suite);
    for (const [index, [place, value]] of all.entries()) {
      const [good, bad] = namesOf(index);
      const claimed = await claim(setting, run, specOf(index));
      const path = place
        .replace(/^state/, '_s')
        .replace(/^attempts\.0\.state/, 'attempts.0._s')
        .split('.');
      const message = withValue({ ...FULL, ...firstMessage(claimed, bad, failing()) }, path, value);
      const { status } = await setting.api.post('@/test-record', untyped(message));
      expect([200, 400]).toContain(status);
      await createRecord(setting, claimed, good, failing());
    }
    const { specs } = await read(setting.api, `/runs/${run.runId}`);
    expect(specs.filter(({ results }: Spec) => (results?.stats.failures ?? 0) === 0)).toEqual([]);
  });

  test('The recorder of our reporters sends every test, whatever the framework reports about it', async () => {
    const setting = await service();
    vi.useRealTimers();
    const spool = await temporaryFolder();
    const { origin, projectId, keys } = setting;
    const recorder = new Recorder(
      {
        url: origin,
        project: projectId,
        key: keys.readWrite,
        ciBuildId: 'hostile',
        machineId: 'm1',
        tags: [],
        keepOpen: false,
        spool,
        strict: false,
        lastFailed: false,
        watch: false,
        waitAtEnd: 3600,
        commit: {},
        pullRequest: undefined,
        job: undefined,
        try: undefined,
        github: undefined,
        root: '/project',
      },
      { type: 'vitest', version: '5.1.0' },
    );
    const all = drawn();
    const group = 'g'.repeat(MODEL_LIMITS.idCharacters + 1);
    recorder.begin([{ name: group, tests: [] }]);
    for (const [index, [place, value]] of all.entries()) {
      const [good, bad] = namesOf(index);
      const [instance] = liveInstances('retail', { [good]: failing(), [bad]: failing() });
      const [first, second] = instance?.tests ?? [];
      const odd = withValue({ ...FULL, ...second }, place.split('.'), value);
      recorder.add(group, specOf(index), untyped(odd));
      recorder.add(group, specOf(index), untyped(first));
    }
    const recorded = await recorder.end({ failed: false, errors: ['e'.repeat(100_000)] });
    expect(recorded.runUrl).toBeDefined();
    await expectOthers(setting, String(recorded.runUrl?.split('/').at(-1)), all.length);
  });

  test('A CTRF report gives all other tests', async () => {
    const setting = await service();
    for (const [index, [place, value]] of drawn().slice(0, cases(200, 25)).entries()) {
      const own = {
        name: 'hostile',
        suite: 'cart',
        filePath: specOf(index),
        status: 'failed',
        duration: 1,
        tags: ['a'],
      };
      const name = CTRF_NAMES.get(place) ?? place.split('.').at(-1) ?? '';
      const tests = [
        { ...own, [name]: value },
        { ...own, name: GOOD },
      ];
      const report = { reportFormat: 'CTRF', results: { tool: { name: 'jest' }, summary: {}, tests } };
      const { runId } = await imported(setting, JSON.stringify(report), `ciBuildId=ctrf-${index}`);
      await expectFailure(setting, runId);
    }
  });
});

async function expectFailure({ api }: Setting, runId: string) {
  const { groups, status } = await read(api, `/runs/${runId}`);
  const failures = groups.reduce((sum: number, { tests }: { tests: { failures: number } }) => sum + tests.failures, 0);
  expect({ status, hasFailures: failures > 0 }).toEqual({ status: 'FAILED', hasFailures: true });
}

test('A title of more than 2,048 characters is recorded with its beginning and a hash, the same by every way', async () => {
  const setting = await service();
  const title = `adds ${'1'.repeat(MODEL_LIMITS.titlePartCharacters)}`;
  const name: TestName = `cart.spec.ts > ${title}`;
  const { runId } = await dataOf(sendStart(setting, startBody([liveGroup('retail', [name])], { ciBuildId: 'own' })));
  const instances = liveInstances('retail', { [name]: passed() });
  await dataOf(sendBatch(setting, runId, { machineId: 'm1', sequence: 0, instances }));
  await dataOf(sendEnd(setting, runId, { machineId: 'm1', batches: 1 }));
  const upload = uploadBody(
    setting,
    [suiteGroup('retail', [name])],
    [batchInstance('retail', 'cart.spec.ts', { [name]: passed() })],
    {
      ciBuildId: 'upload',
    },
  );
  const uploaded = await sendUpload(setting, upload);
  const run = await startRun(setting, [suiteGroup('retail', [name])], { ciBuildId: 'streamed' });
  await createRecord(setting, await claim(setting, run, 'cart.spec.ts'), name, passed());
  const junit = `<testsuite name="cart"><testcase file="cart.spec.ts" name="${title}"/></testsuite>`;
  const { runId: importedRun } = await imported(setting, junit, 'ciBuildId=imported');
  const titles = await Promise.all(
    [runId, uploaded.body.runId, run.runId, importedRun].map(async (id) => {
      const { specs } = await read(setting.api, `/runs/${id}`);
      const { results } = await read(setting.api, `/instances/${specs[0].instanceId}`);
      return results.tests.map((one: { title: string[] }) => one.title);
    }),
  );
  expect(titles).toEqual(Array.from({ length: 4 }, () => [[expect.stringMatching(/^adds 1{2026}~[0-9a-f]{16}$/)]]));
  expect(new Set(titles.map((one) => JSON.stringify(one))).size).toBe(1);
});
