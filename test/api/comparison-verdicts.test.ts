import { describe, expect, test } from 'vitest';
import { batch, comparisonOf, namesIn, onBranch, runOf, runWith } from '#test/harness/comparisons.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, flaky, passed, pending, running, skipped, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const SUMS = 'cart.spec.ts > sums';
const PAYS = 'pay.spec.ts > pays';
const TAX = 'tax.spec.ts > rounds';

describe('Verdicts of a comparison', () => {
  test('Until its result arrives, a test of a run in progress counts neither as fixed nor as not run', async () => {
    const stage = await service();
    await batch(stage, 'base', { [SUMS]: failed(), [PAYS]: failed(), [TAX]: failed() });
    clock.advance(1000);
    const run = await startRun(stage, [suiteGroup('retail', [SUMS, PAYS, TAX])], { ciBuildId: 'run' });
    const seen = async () => namesIn(await comparisonOf(stage.reader, run.runId));
    expect(await seen()).toEqual({});
    await createRecord(stage, await claim(stage, run, 'cart.spec.ts'), SUMS, failed());
    await createRecord(stage, await claim(stage, run, 'pay.spec.ts'), PAYS, running());
    expect(await seen()).toEqual({ still_failing: ['retail cart.spec.ts > sums'] });
    await createRecord(stage, await claim(stage, run, 'tax.spec.ts'), TAX, passed());
    expect(await seen()).toMatchObject({ fixed: ['retail tax.spec.ts > rounds'] });
    await stage.api.put(`/runs/${run.runId}/cancel`);
    expect(await seen()).toEqual({
      still_failing: ['retail cart.spec.ts > sums'],
      fixed: ['retail tax.spec.ts > rounds'],
      not_run: ['retail pay.spec.ts > pays'],
    });
  });

  test('A comparison ignores results that a reset of the run has deleted', async () => {
    const stage = await service();
    await batch(stage, 'base', { [SUMS]: passed(), [PAYS]: passed() });
    clock.advance(1000);
    const run = await startRun(stage, [suiteGroup('retail', [SUMS, PAYS])], {
      ciBuildId: 'run',
      machineId: 'machine00001',
    });
    await createRecord(stage, await claim(stage, run, 'cart.spec.ts'), SUMS, failed());
    const seen = async () => namesIn(await comparisonOf(stage.reader, run.runId));
    expect(await seen()).toEqual({ new: ['retail cart.spec.ts > sums'] });
    expect((await stage.api.put(`/runs/${run.runId}/reset`, { machineId: ['machine00001'] })).status).toBe(200);
    expect(await seen()).toEqual({});
  });

  test('Tests with equal titles in two spec files or in two groups are different tests', async () => {
    const stage = await service();
    const same = { cart: 'cart.spec.ts > sums', tax: 'tax.spec.ts > sums' };
    const groups = (retail: object, wholesale: object) => ({
      retail: { tests: { ...retail } },
      wholesale: { tests: { ...wholesale } },
    });
    await runWith(
      stage,
      'base',
      groups({ [same.cart]: failed(), [same.tax]: passed() }, { [same.cart]: passed(), [same.tax]: failed() }),
    );
    const run = await runWith(
      stage,
      'run',
      groups({ [same.cart]: passed(), [same.tax]: failed() }, { [same.cart]: failed(), [same.tax]: failed() }),
    );
    expect(namesIn(await comparisonOf(stage.reader, run.runId))).toEqual({
      new: ['retail tax.spec.ts > sums', 'wholesale cart.spec.ts > sums'],
      still_failing: ['wholesale tax.spec.ts > sums'],
      fixed: ['retail cart.spec.ts > sums'],
    });
  });

  test('A failure is new unless the test failed in the base, even if the test was flaky or skipped in the base', async () => {
    const stage = await service();
    await runOf(stage, 'base', { [SUMS]: flaky(), [PAYS]: skipped() });
    const run = await batch(stage, 'run', { [SUMS]: failed(), [PAYS]: failed(), [TAX]: failed() });
    const { new: isNew } = namesIn(await comparisonOf(stage.reader, run.runId));
    expect(isNew).toHaveLength(3);
  });

  test('A test is fixed only if it passed at the first attempt: a flaky, skipped or missing test is not fixed', async () => {
    const stage = await service();
    const names = ['a', 'b', 'c', 'd', 'e'].map((title) => `cart.spec.ts > ${title}`);
    const [a = '', b = '', c = '', d = ''] = names;
    await batch(stage, 'base', Object.fromEntries(names.map((name) => [name, failed()])));
    const run = await runOf(stage, 'run', { [a]: passed(), [b]: flaky(), [c]: pending(), [d]: skipped() });
    expect(namesIn(await comparisonOf(stage.reader, run.runId))).toEqual({
      fixed: ['retail cart.spec.ts > a'],
      flaky: ['retail cart.spec.ts > b'],
      not_run: ['c', 'd', 'e'].map((title) => `retail cart.spec.ts > ${title}`),
    });
  });

  test('A comparison of two uploads finds fixed tests, and lists a skipped test as not run', async () => {
    const stage = await service();
    const suite = [suiteGroup('unit', [SUMS, PAYS, TAX])];
    const send = (ciBuildId: string, sums: object, pays: object, tax: object) => {
      clock.advance(1000);
      const sent = {
        cart: { [SUMS]: { ...failed(), ...sums } },
        pay: { [PAYS]: { ...failed(), ...pays } },
        tax: { [TAX]: { ...failed(), ...tax } },
      };
      const instances = Object.entries(sent).map(([file, tests]) => batchInstance('unit', `${file}.spec.ts`, tests));
      return upload(stage, suite, instances, { ciBuildId, ...onBranch('main') });
    };
    await send('base', failed(), failed(), passed());
    const { runId } = await send('run', passed(), { ...skipped(), _s: 'skipped' }, failed());
    expect(namesIn(await comparisonOf(stage.reader, runId))).toEqual({
      new: ['unit tax.spec.ts > rounds'],
      fixed: ['unit cart.spec.ts > sums'],
      not_run: ['unit pay.spec.ts > pays'],
    });
  });
});
