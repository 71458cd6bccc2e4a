import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { specsOf, startSession, takeTask } from '#test/harness/orchestration.ts';
import { batchInstance, upload, uploadBody } from '#test/harness/recording-batch.ts';
import { type Attempt, attempt, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const fromStart = (milliseconds: number) => new Date(START.getTime() + milliseconds).toISOString();

/**
 * False durations and start times that a report claims for the second of two tests, by the name of the spec file
 * without `.spec.ts`. In truth, each spec file takes a minute.
 */
const FALSE: Readonly<Record<string, Partial<Attempt>>> = {
  '1e15': { duration: 1e15 },
  '1e308': { duration: 1e308 },
  infinite: { duration: 1e305 },
  negative: { duration: -1e15 },
  'year-1': { startTime: '0001-01-01T00:00:00.000Z' },
  'year-1970': { startTime: '1970-01-01T00:00:00.000Z' },
  'year-2099': { startTime: '2099-01-01T00:00:00.000Z' },
  'year-275760': { startTime: '+275760-09-13T00:00:00.000Z' },
  'last-year': { startTime: fromStart(-300 * DAY) },
  'hours-behind': { startTime: fromStart(-5 * 60 * MINUTE) },
  'hours-ahead': { startTime: fromStart(5 * 60 * MINUTE) },
  'eleven-hours': { duration: 11 * 60 * MINUTE },
};
const NEW = 'new.spec.ts';
const FILES = [...Object.keys(FALSE).map((name) => `${name}.spec.ts`), NEW];
const testsOf = (spec: string) => [`${spec} > adds`, `${spec} > pays`] as const;
const suiteOf = (specs: readonly string[]) => [suiteGroup('retail', specs.flatMap(testsOf))];
const SUITE = suiteOf(FILES);

/** The report of a spec file with two consecutive tests of half a minute each. `wrong` falsifies the second test. */
function report(spec: string, wrong: Partial<Attempt> = {}) {
  const [adds, pays] = testsOf(spec);
  const first = attempt('passed', { startTime: fromStart(-MINUTE), duration: MINUTE / 2 });
  const second = attempt('passed', { startTime: fromStart(-MINUTE / 2), duration: MINUTE / 2, ...wrong });
  return batchInstance('retail', spec, {
    [adds]: passed({ attempts: [first] }),
    [pays]: passed({ attempts: [second] }),
  });
}

test('A single report with false durations or start times does not change the expected durations, so dead machines are still detected in time', async () => {
  const stage = await service();
  const known = FILES.filter((spec) => spec !== NEW);
  const honest = known.map((spec) => report(spec));
  for (const ciBuildId of ['monday', 'tuesday']) await upload(stage, suiteOf(known), honest, { ciBuildId });
  const wrong = [...Object.values(FALSE), { duration: 1e15 }].map((what, index) => report(FILES[index] ?? '', what));
  const text = JSON.stringify(uploadBody(stage, SUITE, wrong, { ciBuildId: 'false' })).replace('1e+305', '1e999');
  expect(text).toContain('1e999');
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  expect(await stage.api.send('POST', '/runs', gzipSync(text), { headers })).toMatchObject({ status: 200 });
  await compileRuns(stage);

  const dead = await startSession(stage, SUITE, { machineId: 'dead', globalBatchSize: FILES.length });
  const living = await startSession(stage, SUITE, { machineId: 'living' });
  const lost = await takeTask(stage, dead);
  const expected = Object.fromEntries((lost.batch?.tasks ?? []).map(({ spec, score }) => [spec, score]));
  expect(expected).toEqual(Object.fromEntries(FILES.map((spec) => [spec, MINUTE])));
  clock.advance(3 * MINUTE - 1000);
  expect(await takeTask(stage, living)).toMatchObject({ batch: null });
  clock.advance(MINUTE);
  expect(specsOf(await takeTask(stage, living)).sort()).toEqual(specsOf(lost).sort());
});

test('A spec file that took five hours in an earlier run is not given to another machine before five hours have passed', async () => {
  const stage = await service();
  const suite = [suiteGroup('retail', ['slow.spec.ts > soaks'])];
  const long = attempt('passed', { startTime: fromStart(-9 * 60 * MINUTE), duration: 5 * 60 * MINUTE });
  await upload(
    stage,
    suite,
    [batchInstance('retail', 'slow.spec.ts', { 'slow.spec.ts > soaks': passed({ attempts: [long] }) })],
    {
      ciBuildId: 'monday',
    },
  );
  await compileRuns(stage);
  const busy = await startSession(stage, suite, { machineId: 'busy' });
  const idle = await startSession(stage, suite, { machineId: 'idle' });
  const task = await takeTask(stage, busy);
  clock.advance(5 * 60 * MINUTE + MINUTE);
  expect(await takeTask(stage, idle)).toMatchObject({ batch: null });
  clock.advance(2 * MINUTE);
  expect(specsOf(await takeTask(stage, idle))).toEqual(specsOf(task));
});
