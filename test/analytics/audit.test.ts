/** Tests the audit and the rebuild of the read model. */
import { describe, expect, test } from 'vitest';
import { runNightlyAudit } from '#shared/analytics/audit-all.ts';
import { auditRuns } from '#shared/analytics/audit-runs.ts';
import { rebuildAnalytics } from '#shared/analytics/rebuild.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { runs } from '#shared/model/runs/run.ts';
import { compileRuns, executionsOf, mergeRuns } from '#test/harness/analytics.ts';
import { dyingAfter, inPagesOf } from '#test/harness/interrupted-table.ts';
import { recordRun, updateRecord } from '#test/harness/recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

const HOUR = 3_600_000;
const SUM = 'cart.spec.ts > cart > sums';
const TIME = { remainingMilliseconds: () => 300_000 };
const LEAF = getLeaf(START.getTime());

type Stage = Awaited<ReturnType<typeof service>>;

const record = (stage: Stage, ciBuildId: string, state = passed()) =>
  recordRun(stage, { retail: { tests: { [SUM]: state } } }, { ciBuildId });

const marksOf = ({ services, ...scope }: Stage) =>
  services.table.queryAll(pendingRuns, getPendingRunsSpan(scope, LEAF, LEAF), { consistent: true });

/** Simulates a process that crashed after a change, before it marked the change for the read model. */
async function loseMarks(stage: Stage): Promise<void> {
  const { services } = stage;
  const rows = await marksOf(stage);
  await services.table.writeMany(rows.map((row) => remove(pendingRuns, row)));
}

const audit = (stage: Stage, mode: 'check' | 'repair') => auditRuns(stage.services, stage, { mode });

describe('An audit of analytics', () => {
  test('finds a late result that was missed, and the next merges count it', async () => {
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

  test('finds a deleted run that still counts, and the next merge leaves it out', async () => {
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

describe('The nightly audit of analytics', () => {
  /** Three organizations, each with a run that is missing from the read model. */
  async function lostRuns() {
    const stage = await service();
    const others = [await stage.tenant(), await stage.tenant()];
    const tenants = [stage, ...others.map((tenant) => ({ ...stage, ...tenant }))];
    for (const tenant of tenants) await uploadRun(tenant, { [SUM]: passed() }, { ciBuildId: 'first' });
    for (const tenant of tenants) await loseMarks(tenant);
    const repaired = async () =>
      (await Promise.all(tenants.map((tenant) => marksOf(tenant)))).map((marks) => marks.length);
    return { ...stage, repaired };
  }

  test('checks every organization, including those after the first page', async () => {
    const { services, repaired } = await lostRuns();
    expect(await repaired()).toEqual([0, 0, 0]);
    expect(await runNightlyAudit(inPagesOf(services, 1), TIME)).toMatchObject({ finished: true });
    expect(await repaired()).toEqual([1, 1, 1]);
  });

  test('continues where the previous one ran out of time, until it has checked every organization', async () => {
    const { services, repaired } = await lostRuns();
    let nights = 0;
    for (let isFinished = false; !isFinished && nights < 100; nights += 1) {
      let organizations = 2;
      const remainingMilliseconds = () => {
        organizations -= 1;
        return organizations >= 0 ? 60_000 : 59_999;
      };
      const { finished } = await runNightlyAudit(inPagesOf(services, 1), { remainingMilliseconds });
      isFinished = (await repaired()).every((marks) => marks === 1);
      if (!isFinished) expect(finished).toBe(false);
    }
    expect(await repaired()).toEqual([1, 1, 1]);
    expect(nights).toBeGreaterThan(1);
  });
});

describe('A rebuild of analytics', () => {
  test('counts ended runs that were missed, and a repeated rebuild changes no count', async () => {
    const stage = await service();
    await record(stage, 'first', failed());
    await record(stage, 'second');
    await loseMarks(stage);
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({});
    const counts = { 'cart > sums': { passed: 1, failed: 1 } };
    for (let round = 0; round < 2; round += 1) {
      expect(await rebuildAnalytics(stage.services, stage, () => {})).toMatchObject({ runs: 2 });
      for (let sweep = 0; sweep < 3; sweep += 1) await mergeRuns(stage);
      expect(await executionsOf(stage)).toEqual(counts);
    }
    expect(await audit(stage, 'check')).toMatchObject({ differing: 0 });
  });

  test('A rebuild of analytics that crashes is completed by the next rebuild', async () => {
    const stage = await service();
    await record(stage, 'first');
    await record(stage, 'second');
    await loseMarks(stage);
    await expect(rebuildAnalytics(dyingAfter(stage.services, 1), stage, () => {})).rejects.toThrow('died');
    await rebuildAnalytics(stage.services, stage, () => {});
    await compileRuns(stage);
    expect(await executionsOf(stage)).toEqual({ 'cart > sums': { passed: 2 } });
  });
});
