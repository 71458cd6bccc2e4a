/** Spec files whose stored results cannot be unpacked. */
import { expect, test } from 'vitest';
import { auditRuns } from '#shared/analytics/audit-runs.ts';
import { rebuildAnalytics } from '#shared/analytics/rebuild.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { type DetailsPart, detailsParts, getDetailsSpan } from '#shared/model/results/instance-details.ts';
import { compileRuns, executionsOf } from '#test/harness/analytics.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { logLines, service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const PAY = 'pay.spec.ts > pays';

/** Damages the stored results of an instance, and returns the original parts. */
async function damage({ services, organizationId }: Stage, instanceId: string): Promise<DetailsPart[]> {
  const span = getDetailsSpan({ organizationId, instanceId });
  const parts = await services.table.queryAll(detailsParts, span, { consistent: true });
  for (const part of parts) await services.table.put(detailsParts, { ...part, bytes: Buffer.from('damaged') });
  return parts;
}

async function overall({ reader, projectId }: Stage) {
  const { status, body } = await reader.get(
    `/projects/${projectId}/insights?date_start=2026-11-02&date_end=2026-11-04`,
  );
  expect(status).toBe(200);
  return body.data.results.overall;
}

test('A spec file with damaged results is left out and counted as incomplete, and its run still counts', async () => {
  const stage = await service();
  const { runId, instances } = await recordRun(stage, {
    retail: { tests: { 'cart.spec.ts > sums': passed(), [PAY]: failed() } },
  });
  const instanceId = instances['retail pay.spec.ts'] ?? '';
  const parts = await damage(stage, instanceId);
  expect(parts).toHaveLength(1);
  const before = logLines.length;
  expect(await compileRuns(stage)).toMatchObject({ due: 1, failed: 0, incomplete: 1 });
  expect(logLines.slice(before).join('\n')).toContain(
    `The stored results of the instance ${instanceId} of run ${runId}`,
  );
  expect(await executionsOf(stage)).toEqual({ sums: { passed: 1 } });
  expect(await overall(stage)).toMatchObject({ runs: { total: 1, completed: 1 }, tests: { total: 1 }, incomplete: 1 });
  expect(await compileRuns(stage)).toMatchObject({ due: 0, failed: 0, incomplete: 0 });
  expect(await auditRuns(stage.services, stage, { mode: 'check' })).toMatchObject({ differing: 0, incomplete: 1 });

  for (const part of parts) await stage.services.table.put(detailsParts, part);
  expect(await auditRuns(stage.services, stage, { mode: 'check' })).toMatchObject({ differing: 1, incomplete: 0 });
  await rebuildAnalytics(stage.services, stage, () => {});
  await compileRuns(stage);
  expect(await executionsOf(stage)).toEqual({ sums: { passed: 1 }, pays: { failed: 1 } });
  expect(await overall(stage)).toMatchObject({ tests: { total: 2 }, incomplete: 0 });
});

test('An outage while results are being read does not mark them as damaged, and a later update of analytics counts the run', async () => {
  const stage = await service();
  await recordRun(stage, { retail: { tests: { [PAY]: failed() } } });
  const table = new Proxy(stage.services.table, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        if (given[0] === detailsParts) throw new Error('The table does not answer');
        return Reflect.apply(member, target, given);
      };
    },
  });
  const now = () => Date.now() + 1;
  const swept = await sweepAnalytics({ ...stage.services, table, now }, { remainingMilliseconds: () => 60_000 });
  expect(swept).toMatchObject({ due: 1, failed: 1, incomplete: 0 });
  expect(await executionsOf(stage)).toEqual({});
  await compileRuns(stage);
  expect(await executionsOf(stage)).toEqual({ pays: { failed: 1 } });
});
