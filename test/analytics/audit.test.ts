/** The audit and the rebuild of the read model. */
import { describe, expect, test } from 'vitest';
import { auditRuns } from '#shared/analytics/audit-runs.ts';
import { rebuild } from '#shared/analytics/rebuild.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { leafOf, pendingRuns, pendingSpan } from '#shared/model/analytics-pending.ts';
import { runs } from '#shared/model/run.ts';
import { compileRuns, executionsOf, mergeRuns } from '#test/harness/analytics.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { recordRun, updateRecord } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

const HOUR = 3_600_000;
const SUM = 'cart.spec.ts > cart > sums';
const LEAF = leafOf(START.getTime());

type Stage = Awaited<ReturnType<typeof service>>;

const record = (stage: Stage, ciBuildId: string, state = passed()) =>
  recordRun(stage, { retail: { tests: { [SUM]: state } } }, { ciBuildId });

/** Simulates a process that died before it told the read model of a change. */
async function loseMarks({ services, ...scope }: Stage): Promise<void> {
  const rows = await services.table.queryAll(pendingRuns, pendingSpan(scope, LEAF, LEAF), { consistent: true });
  await services.table.writeMany(rows.map((row) => remove(pendingRuns, row)));
}

const audit = (stage: Stage, mode: 'check' | 'repair') => auditRuns(stage.services, stage, { mode });

describe('An audit', () => {
  test('finds a late result whose mark was lost, and the next merge counts it', async () => {
    const stage = await service();
    const { records } = await record(stage, 'first', failed());
    await record(stage, 'second');
    await compileRuns(stage);
    clock.advance(12 * HOUR);
    await mergeRuns(stage);
    await updateRecord(stage, records[`retail ${SUM}`] ?? '', passed(), 9);
    await loseMarks(stage);
    const differing = { runs: 2, differing: 1, incomplete: 0, leaves: [LEAF * 6 * HOUR] };
    expect(await audit(stage, 'check')).toEqual(differing);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 1, failed: 1 } });
    expect(await stage.runSchedule('auditAnalytics')).toMatchObject({ finished: true });
    for (let round = 0; round < 3; round += 1) await mergeRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 2 } });
    expect(await audit(stage, 'check')).toEqual({ runs: 2, differing: 0, incomplete: 0, leaves: [] });
  });

  test('finds a run that is gone without a mark, and the next merge leaves it out', async () => {
    const stage = await service();
    const { runId } = await record(stage, 'first');
    await record(stage, 'second');
    await compileRuns(stage);
    clock.advance(12 * HOUR);
    await mergeRuns(stage);
    await stage.services.table.writeMany([remove(runs, { organizationId: stage.organizationId, runId })]);
    expect(await audit(stage, 'repair')).toMatchObject({ differing: 1 });
    await mergeRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 1 } });
  });
});

describe('A rebuild', () => {
  test('counts runs that ended before the read model existed, and gives the same answers when repeated', async () => {
    const stage = await service();
    await record(stage, 'first', failed());
    await record(stage, 'second');
    await loseMarks(stage);
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({});
    const counts = { 'cart > sums': { passed: 1, failed: 1 } };
    for (let round = 0; round < 2; round += 1) {
      expect(await rebuild(stage.services, stage, () => {})).toMatchObject({ runs: 2 });
      for (let sweep = 0; sweep < 3; sweep += 1) await mergeRuns(stage);
      expect(await executionsOf(stage)).toEqual(counts);
    }
    expect(await audit(stage, 'check')).toMatchObject({ differing: 0 });
  });

  test('that dies is completed by the next one', async () => {
    const stage = await service();
    await record(stage, 'first');
    await record(stage, 'second');
    await loseMarks(stage);
    await expect(rebuild(dyingAfter(stage.services, 1), stage, () => {})).rejects.toThrow('died');
    await rebuild(stage.services, stage, () => {});
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 2 } });
  });
});
