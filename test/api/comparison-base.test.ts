import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { completeRuns } from '#shared/model/runs/complete-run.ts';
import { runs } from '#shared/model/runs/run.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { batch, comparisonOf, namesIn, runOf, runWith } from '#test/harness/comparisons.ts';
import { interrupted } from '#test/harness/interrupted-table.ts';
import { claim, createRecord, recordRun, startRun } from '#test/harness/recording.ts';
import { failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';

const SUMS = 'cart.spec.ts > sums';
const PAYS = 'pay.spec.ts > pays';
const DAY = 24 * 3_600_000;

const baseOf = async (...[reader, runId, query]: Parameters<typeof comparisonOf>) =>
  (await comparisonOf(reader, runId, query)).base?.runId;

describe('The comparison base of a run', () => {
  test('The base is the last complete run on the default branch before the compared run', async () => {
    const stage = await service();
    await batch(stage, 'old', { [SUMS]: passed() });
    const base = await batch(stage, 'base', { [SUMS]: failed() });
    await batch(stage, 'other branch', { [SUMS]: passed() }, 'feature/1');
    const run = await batch(stage, 'run', { [SUMS]: passed() }, 'feature/2');
    await batch(stage, 'later', { [SUMS]: passed() });
    const comparison = await comparisonOf(stage.reader, run.runId);
    expect(comparison).toMatchObject({
      runId: run.runId,
      projectId: stage.projectId,
      base: {
        runId: base.runId,
        ciBuildId: 'base',
        branch: 'main',
        title: 'Let traders see net prices',
        status: 'FAILED',
      },
      baseBranch: 'main',
      isWhole: true,
    });
  });

  test('The base is the preceding run if the compared run itself is on the default branch', async () => {
    const stage = await service();
    const first = await batch(stage, 'first', { [SUMS]: passed() });
    const second = await batch(stage, 'second', { [SUMS]: passed() });
    expect(await baseOf(stage.reader, second.runId)).toBe(first.runId);
    expect(await baseOf(stage.reader, first.runId)).toBeUndefined();
  });

  test('After a change of the default branch, the base is a run on the new default branch', async () => {
    const stage = await service();
    const trunk = await batch(stage, 'trunk', { [SUMS]: passed() }, 'trunk');
    await batch(stage, 'main', { [SUMS]: passed() });
    const run = await batch(stage, 'run', { [SUMS]: passed() }, 'feature');
    const { services, organizationId, projectId } = stage;
    const settings = { defaultBranchName: 'trunk' };
    await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
    expect(await comparisonOf(stage.reader, run.runId)).toMatchObject({
      base: { runId: trunk.runId },
      baseBranch: 'trunk',
    });
  });

  test('The base has the same groups as the compared run, in any order', async () => {
    const stage = await service();
    const tests = { [SUMS]: passed() };
    const both = await runWith(stage, 'both', { wholesale: { tests }, retail: { tests } });
    const first = await runWith(stage, 'one', { retail: { tests } });
    const run = await runWith(stage, 'run', { retail: { tests }, wholesale: { tests } });
    const last = await runWith(stage, 'last', { retail: { tests } });
    expect(await baseOf(stage.reader, run.runId)).toBe(both.runId);
    expect(await baseOf(stage.reader, last.runId)).toBe(first.runId);
  });

  test('The base is never a run that was cancelled, has timed out or is in progress', async () => {
    const stage = await service();
    const base = await batch(stage, 'base', { [SUMS]: passed() });
    const cancelled = await runOf(stage, 'cancelled', { [SUMS]: failed(), [PAYS]: undefined });
    expect((await stage.api.put(`/runs/${cancelled.runId}/cancel`)).status).toBe(200);
    const late = await runOf(stage, 'timed out', { [SUMS]: failed(), [PAYS]: undefined });
    clock.advance(31 * 60_000);
    await stage.runSchedule('timeOutRuns');
    expect((await stage.api.get(`/runs/${late.runId}`)).body.data.completionState).toBe('TIMEOUT');
    await runOf(stage, 'in progress', { [SUMS]: failed(), [PAYS]: undefined });
    const run = await batch(stage, 'run', { [SUMS]: failed() });
    expect(await baseOf(stage.reader, run.runId)).toBe(base.runId);
    for (const { runId } of [cancelled, late]) expect(await baseOf(stage.reader, runId)).toBe(base.runId);
  });

  test('If the base is deleted, an earlier run replaces it, and a deleted run has no comparison', async () => {
    const stage = await service();
    const first = await batch(stage, 'first', { [SUMS]: failed() });
    const second = await batch(stage, 'second', { [SUMS]: failed() });
    const run = await batch(stage, 'run', { [SUMS]: failed() });
    expect((await stage.api.send('DELETE', `/runs/${second.runId}`)).status).toBe(200);
    expect(await baseOf(stage.reader, run.runId)).toBe(first.runId);
    expect((await stage.reader.get(`/runs/${second.runId}/comparison`)).status).toBe(404);
    expect((await stage.api.send('DELETE', `/runs/${first.runId}`)).status).toBe(200);
    expect(await comparisonOf(stage.reader, run.runId)).toMatchObject({ base: null });
  });

  test('A run that is deleted while it is ending is not left in the list of complete runs', async () => {
    const stage = await service();
    const { organizationId, services } = stage;
    const started = await startRun(stage, [suiteGroup('retail', [SUMS])]);
    const claimed = await claim(stage, started, 'cart.spec.ts');
    const ends = () => createRecord(stage, claimed, SUMS, passed());
    await deleteRun(interrupted(services, ends), { organizationId, runId: started.runId, actor: OPERATOR });
    const rows = await itemsWith(stage.environment, organizationId);
    expect(rows.filter(({ pk }) => String(pk).startsWith('COMPLETE#'))).toEqual([]);
  });

  test('The base is never a run whose results have expired', async () => {
    const stage = await service();
    const { services, organizationId, projectId } = stage;
    const keep = (resultsDays: number) =>
      changeProjectSettings(services, {
        organizationId,
        projectId,
        actor: OPERATOR,
        settings: { retention: { resultsDays, evidenceDays: resultsDays, filesDays: resultsDays } },
      });
    const lasting = await batch(stage, 'lasting', { [SUMS]: passed() });
    await keep(1);
    for (let build = 0; build < 7; build += 1) await batch(stage, `short ${build}`, { [SUMS]: passed() });
    await keep(30);
    clock.advance(2 * DAY);
    const run = await batch(stage, 'run', { [SUMS]: passed() });
    expect(await baseOf(stage.reader, run.runId)).toBe(lasting.runId);
  });

  test('Late results of the base change the comparison, but not the choice of the base', async () => {
    const stage = await service();
    const started = await startRun(stage, [suiteGroup('retail', [SUMS])], { ciBuildId: 'base' });
    const claimed = await claim(stage, started, 'cart.spec.ts');
    const recordId = await createRecord(stage, claimed, SUMS, failed());
    const run = await batch(stage, 'run', { [SUMS]: failed() });
    expect(namesIn(await comparisonOf(stage.reader, run.runId))).toEqual({
      still_failing: ['retail cart.spec.ts > sums'],
    });
    const { expectedStatus, ...late } = passed();
    await stage.api.put(`@/test-record/${recordId}`, { _t: 9, ...late });
    expect(namesIn(await comparisonOf(stage.reader, run.runId))).toEqual({ new: ['retail cart.spec.ts > sums'] });
  });

  test('The base is never a run that reported no branch', async () => {
    const stage = await service();
    await recordRun(stage, { retail: { tests: { [SUMS]: passed() } } }, { ciBuildId: 'none', commit: null });
    const run = await batch(stage, 'run', { [SUMS]: passed() });
    expect(await baseOf(stage.reader, run.runId)).toBeUndefined();
  });

  test('The base is never a run that an older version of Rundown recorded, unless the caller chooses it', async () => {
    const stage = await service();
    const base = await batch(stage, 'base', { [SUMS]: passed() });
    const { organizationId, services } = stage;
    const stored = await services.table.get(runs, { organizationId, runId: base.runId });
    if (!stored?.listed) throw new Error('The complete run is not listed');
    await services.table.writeMany([remove(completeRuns, { ...stored, ...stored.listed })]);
    const run = await batch(stage, 'run', { [SUMS]: failed() });
    expect(await baseOf(stage.reader, run.runId)).toBeUndefined();
    expect(await baseOf(stage.reader, run.runId, `?base_run_id=${base.runId}`)).toBe(base.runId);
  });
});
