/** Records runs through the API, and reads the totals of those that ended. */
import { describe, expect, test } from 'vitest';
import { readOccurrences } from '#shared/analytics/read-occurrences.ts';
import { readRunGroups } from '#shared/analytics/read-run-groups.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { readSpecs } from '#shared/analytics/read-specs.ts';
import { aroundNow, compileRuns, executionsOf, seriesOf, UNFILTERED } from '#test/harness/analytics.ts';
import { claim, createRecord, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import { COMMIT, failed, flaky, passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const HOUR = 3_600_000;
const SUM = 'cart.spec.ts > cart > sums';
const TAX = 'cart.spec.ts > cart > tax';
const PAY = 'pay.spec.ts > pays';

describe('An ended run', () => {
  test('The analytics of an ended run count each test with a final result under its outcome, with its flakiness and duration', async () => {
    const stage = await service();
    const createdAt = Date.now();
    await recordRun(stage, { retail: { tests: { [SUM]: passed(), [TAX]: flaky(), [PAY]: failed() } } });
    await compileRuns(stage);
    const rows = await seriesOf(stage);
    expect(rows).toHaveLength(3);
    const none = { passed: 0, failed: 0, pending: 0, skipped: 0 };
    expect(rows.find(({ title }) => title.join() === 'cart,tax')).toMatchObject({
      specFile: 'cart.spec.ts',
      lastSeen: createdAt,
      totals: {
        executions: { ...none, passed: 1 },
        flaky: { ...none, passed: 1 },
        milliseconds: { ...none, passed: 200 },
        timed: { ...none, passed: 1 },
      },
    });
  });

  test('The analytics of an ended run count its spec files, and list its groups with their counters', async () => {
    const stage = await service();
    const { runId } = await recordRun(
      stage,
      { retail: { tests: { [SUM]: passed(), [TAX]: flaky(), [PAY]: failed() }, tags: ['smoke'] } },
      { tags: ['nightly'] },
    );
    await compileRuns(stage);
    const specs = await readSpecs(stage.services, stage, aroundNow(), UNFILTERED);
    const byFile = [...specs].sort((one, other) => (one.specFile < other.specFile ? -1 : 1));
    expect(byFile).toMatchObject([
      { specFile: 'cart.spec.ts', executions: 1, failed: 0, flaky: 1, fullyReported: 1, suiteSize: 2, timed: 1 },
      { specFile: 'pay.spec.ts', executions: 1, failed: 1, flaky: 0, timedWithoutFailed: 0, suiteSize: 1 },
    ]);
    expect(await readRunGroups(stage.services, stage, aroundNow(), UNFILTERED)).toMatchObject([
      {
        runId,
        groupId: 'retail',
        branch: 'main',
        sha: COMMIT.sha,
        tags: ['nightly', 'smoke'],
        completionState: 'COMPLETE',
        status: 'FAILED',
        counters: { overall: 3, passes: 2, failures: 1, pending: 0, skipped: 0, flaky: 1 },
      },
    ]);
  });

  test('The analytics of an ended run list each failed or flaky execution with its error', async () => {
    const stage = await service();
    const { runId } = await recordRun(stage, {
      retail: { tests: { [SUM]: passed(), [TAX]: flaky(), [PAY]: failed() } },
    });
    await compileRuns(stage);
    const all = await readOccurrences(stage.services, stage, aroundNow(), UNFILTERED);
    expect(all.map(({ title }) => title.join(' > ')).sort()).toEqual(['cart > tax', 'pays']);
    for (const occurrence of all) expect(occurrence).toMatchObject({ runId, branch: 'main' });
    expect(all[0]).toMatchObject({ message: 'expected <n>, received <n>', category: 'Infra / Misc', target: null });
  });

  test('The analytics of a cancelled run count only its tests with a final result', async () => {
    const stage = await service();
    const run = await startRun(stage, [suiteGroup('retail', [SUM, TAX, PAY])]);
    const claimed = await claim(stage, run, 'cart.spec.ts');
    await createRecord(stage, claimed, SUM, passed());
    await createRecord(stage, claimed, TAX, running());
    expect((await stage.api.put(`/runs/${run.runId}/cancel`)).status).toBe(200);
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 1 } });
    expect(await readSpecs(stage.services, stage, aroundNow(), UNFILTERED)).toMatchObject([
      { specFile: 'cart.spec.ts', executions: 1, fullyReported: 0, timedOut: 1, timed: 0, suiteSize: 0 },
    ]);
  });

  test('A run does not count in analytics while it is in progress', async () => {
    const stage = await service();
    await recordRun(stage, { retail: { tests: { [SUM]: passed(), [TAX]: undefined } } });
    await compileRuns(stage);
    expect(await seriesOf(stage)).toEqual([]);
  });
});

describe('A run in analytics', () => {
  test('A run counts once in analytics after a correction, with its corrected results', async () => {
    const stage = await service();
    const { records } = await recordRun(stage, { retail: { tests: { [SUM]: failed() } } });
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { failed: 1 } });
    await updateRecord(stage, records[`retail ${SUM}`] ?? '', passed(), 5);
    await compileRuns(stage);
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 1 } });
  });

  test('A run no longer counts in analytics after its deletion', async () => {
    const stage = await service();
    const kept = await recordRun(stage, { retail: { tests: { [SUM]: passed() } } }, { ciBuildId: 'kept' });
    const { runId } = await recordRun(stage, { retail: { tests: { [SUM]: failed() } } }, { ciBuildId: 'gone' });
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 1, failed: 1 } });
    expect((await stage.api.send('DELETE', `/runs/${runId}`)).status).toBe(200);
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 1 } });
    const groups = await readRunGroups(stage.services, stage, aroundNow(), UNFILTERED);
    expect(groups.map((group) => group.runId)).toEqual([kept.runId]);
  });

  test('A run counts in the period in which it was created, and the end of a period is exclusive', async () => {
    const stage = await service();
    const createdAt = Date.now();
    await recordRun(stage, { retail: { tests: { [SUM]: passed() } } });
    await compileRuns(stage);
    const within = async (from: number, to: number) => (await seriesOf(stage, {}, { from, to })).length;
    expect(await within(createdAt, createdAt + 1)).toBe(1);
    expect(await within(createdAt + 1, createdAt + HOUR)).toBe(0);
    expect(await within(createdAt - HOUR, createdAt)).toBe(0);
  });

  test('The analytics of a run are hidden from other organizations, even from an organization that has a project with the same id', async () => {
    const stage = await service();
    const other = await stage.tenant('Umbrella');
    await recordRun(stage, { retail: { tests: { [SUM]: passed() } } });
    await compileRuns(stage);
    const mixed = { organizationId: other.organizationId, projectId: stage.projectId };
    expect(await readSeries(stage.services, mixed, aroundNow(), UNFILTERED)).toEqual([]);
    expect(await readRunGroups(stage.services, other, aroundNow(), UNFILTERED)).toEqual([]);
  });
});
