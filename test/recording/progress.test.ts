import { expect, test } from 'vitest';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { publishProgress } from '#shared/ingest/publish-progress.ts';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { claim, createRecord, startRun, updateRecord } from '#test/harness/recording.ts';
import { failed, flaky, passed, running, skipped, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { measureProgress } from '#test/tools/bench/live-progress.ts';

const CART = Array.from({ length: 30 }, (_, index) => `cart.spec.ts > test ${index}`);
const TAX = Array.from({ length: 3 }, (_, index) => `tax.spec.ts > test ${index}`);
const SUITE = [suiteGroup('retail', [...CART, ...TAX])];

const NONE = { overall: 0, passes: 0, failures: 0, pending: 0, skipped: 0, flaky: 0, retries: 0 };

/** Starts a run with two spec files, and claims both. */
async function begin() {
  const stage = await service();
  const { organizationId } = stage;
  const run = await startRun(stage, SUITE, { machineId: 'first' });
  const progress = () => readProgress(stage.services, { organizationId, runId: run.runId });
  const cart = await claim(stage, run, 'cart.spec.ts');
  const tax = await claim(stage, run, 'tax.spec.ts');
  return { stage, run, progress, cart, tax };
}

test('The live progress of a run shows its expected tests and spec files before the first result', async () => {
  const { progress } = await begin();
  expect(await progress()).toMatchObject({
    status: 'RUNNING',
    completionState: 'IN_PROGRESS',
    specFiles: { total: 2, complete: 0 },
    tests: { ...NONE, tests: 33 },
  });
});

test('The live progress of a run never counts too many tests of unfinished spec files, and is exact for complete spec files', async () => {
  const { stage, run, progress, cart, tax } = await begin();
  let seen = 0;
  for (const [index, name] of CART.entries()) {
    await createRecord(stage, cart, name, passed());
    const { tests, specFiles } = await progress();
    expect(tests.overall).toBeLessThanOrEqual(index + 1);
    expect(tests.overall).toBeGreaterThanOrEqual(seen);
    seen = tests.overall;
    if (index === CART.length - 2) expect(seen).toBeGreaterThan(0);
    expect(specFiles.complete).toBe(index === CART.length - 1 ? 1 : 0);
  }
  expect(seen).toBe(CART.length);
  for (const [index, state] of [failed(), flaky(), skipped()].entries())
    await createRecord(stage, tax, TAX[index] ?? '', state);
  const { status, completionState, groups } = await read(stage.api, `/runs/${run.runId}`);
  expect(await progress()).toMatchObject({
    status,
    completionState,
    specFiles: { total: 2, complete: 2 },
    tests: groups[0].tests,
  });
  expect(groups[0].tests).toMatchObject({ overall: 33, passes: 31, failures: 1, skipped: 1, flaky: 1 });
});

test('Live counters that arrive out of order or twice do not change the live progress', async () => {
  const { stage, progress, tax } = await begin();
  const { organizationId, services } = stage;
  const key = { organizationId, runId: tax.runId, instanceId: tax.instanceId };
  await createRecord(stage, tax, TAX[0] ?? '', failed());
  const early = await loadResults(services, key, { consistent: true });
  await createRecord(stage, tax, TAX[1] ?? '', passed());
  await createRecord(stage, tax, TAX[2] ?? '', passed());
  const latest = await loadResults(services, key, { consistent: true });
  const before = await progress();
  expect(before).toMatchObject({ specFiles: { complete: 1 }, tests: { overall: 3, passes: 2, failures: 1 } });
  for (const results of [early, latest, early, latest]) {
    await publishProgress(services, key, results);
    expect(await progress()).toMatchObject(before);
  }
});

test('A reset of spec files removes their results from the live progress, and live counters that arrive later do not restore them', async () => {
  const { stage, run, progress, tax } = await begin();
  const { organizationId, services } = stage;
  for (const name of TAX) await createRecord(stage, tax, name, failed());
  const key = { organizationId, runId: tax.runId, instanceId: tax.instanceId };
  const before = await loadResults(services, key, { consistent: true });
  expect(await progress()).toMatchObject({ specFiles: { complete: 1 }, tests: { failures: 3 } });
  expect(await stage.api.put(`/runs/${run.runId}/reset`, { machineId: ['first'] })).toMatchObject({ status: 200 });
  await publishProgress(services, key, before);
  expect(await progress()).toMatchObject({ specFiles: { total: 2, complete: 0 }, tests: { ...NONE, tests: 33 } });
  const again = await claim(stage, { ...run, machineId: 'second' }, 'tax.spec.ts');
  for (const name of TAX) await createRecord(stage, again, name, passed());
  expect(await progress()).toMatchObject({ specFiles: { complete: 1 }, tests: { passes: 3, failures: 0 } });
});

test('The live progress of a cancelled run counts the tests that end after the cancellation', async () => {
  const { stage, run, progress, cart } = await begin();
  const records = [];
  for (const name of CART.slice(0, 5)) records.push(await createRecord(stage, cart, name, running()));
  await stage.api.put(`/runs/${run.runId}/cancel`);
  for (const record of records) await updateRecord(stage, record, passed(), 1);
  expect(await progress()).toMatchObject({ completionState: 'CANCELED', tests: { overall: 5, passes: 5 } });
});

test('The live progress of a run of another organization cannot be read', async () => {
  const { run } = await begin();
  const other = await service();
  const key = { organizationId: other.organizationId, runId: run.runId };
  await expect(readProgress(other.services, key)).rejects.toThrow('Run not found');
});

async function expectProgressCosts(specs: number, readUnits: number) {
  const { services, organizationId, projectId, keys } = await service();
  const recording = { services, organizationId, projectId, recordKey: keys.readWrite, claims: false, specs };
  const [{ measured } = { measured: 0 }] = await measureProgress(recording);
  expect(measured).toBeGreaterThan(0);
  expect(measured).toBeLessThanOrEqual(readUnits);
}

test('The live progress of a run with 60 open spec files costs at most 1 read unit', () => expectProgressCosts(60, 1));

/**
 * The same limit as `progressUnits` of the benchmark. Recording the run takes seconds, so this test runs only in
 * `npm run test:deep`.
 */
test.runIf(IS_DEEP)('The live progress of a run with 200 open spec files costs at most 2 read units', () =>
  expectProgressCosts(200, 2),
);
