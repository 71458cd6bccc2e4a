/** §5.2 Scans the table and the bucket after a deleted project was removed: nothing of the project may remain. */
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createBadge } from '#shared/badges/badges.ts';
import { getRowKey, removeKey } from '#shared/engine/table/writes.ts';
import { changeAutomation, readAutomation } from '#shared/issues/automation/settings.ts';
import { removeProjects } from '#shared/lifecycle/remove-projects.ts';
import { readCredential } from '#shared/model/credential.ts';
import { dueProjects } from '#shared/model/due.ts';
import { getPartitionSpans, ROWS_OF_PROJECT } from '#shared/model/organizations/rows-of-project.ts';
import { FOREVER } from '#shared/model/runs/retention.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { trustRepository } from '#shared/trusted-ci/trusted-repositories.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { sampled } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { createRule } from '#test/harness/rules.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';
import { itemsOf, itemsWith } from '#test/harness/table-rows.ts';
import { placeOf, recordAll, WITH_FILES } from './runs-of-every-kind.ts';

deliverEvents();

const DAY = 24 * 3_600_000;
const TRUSTED = { provider: 'github', issuer: '', repository: 'acme/shop', branch: '', environment: '' } as const;
const TIME = { remainingMilliseconds: () => 60_000 };

/**
 * Creates a project with runs, rules, a webhook, a notification, a badge, a share, issue automation and a trusted
 * repository, and another project.
 */
async function stage() {
  const here = await service();
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const { organizationId, projectId, environment, services, api } = here;
  const request = { organizationId, projectId, actor: OPERATOR };
  const secrets = connectSecrets(environment)();
  const runIds = await recordAll(here, WITH_FILES);
  const [runId = ''] = runIds;
  await createRule(here);
  const { actionId } = await createRule(here);
  await api.send('DELETE', `/actions/${actionId}`);
  const { hookId } = (await api.post(`/webhooks?projectId=${projectId}`, { url: 'https://receiver.invalid/' })).body
    .data;
  await api.post(`/webhooks/${hookId}/test`, {});
  const settings = { kind: 'slack', runs: 'all', credential: 'https://hooks.slack.com/services/T0/B0/x' } as const;
  const notification = await saveNotification({ ...services, secrets }, { ...request, settings });
  await trustRepository(services, { ...request, settings: TRUSTED });
  await createBadge(services, { ...request, branch: 'main', label: 'tests' });
  await (await accessToken(here)).api.post('/shares', { runId });
  const automation = { ...(await readAutomation(services, request)), reportsAgain: true };
  await changeAutomation(services, { ...request, settings: automation });
  const kept = (await api.post('/projects', { name: 'Kept', retention: FOREVER })).body.data.projectId;
  await recordRun({ ...here, projectId: kept }, { retail: { tests: { 'tax.spec.ts > adds': failed() } } });
  // The summaries of a span of six hours are built when it has ended, and a day is exported some hours after its end.
  // Two days are enough at any time of the day.
  clock.advance(2 * DAY);
  await here.runSchedule('mergeAnalytics');
  await here.runSchedule('exportDays');
  return { ...here, runIds, kept, notification, services: { ...services, secrets } };
}

type Stage = Awaited<ReturnType<typeof stage>>;

const remove = ({ api, projectId }: Stage) => api.send('DELETE', `/projects/${projectId}`);

/** Runs the schedules that finish a deletion, once per minute. Some of them run less often in production. */
async function sweepFor(here: Stage, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    clock.advance(61_000);
    for (const name of ['removeProjects', 'finishDeletions', 'mergeAnalytics', 'trackIssues', 'retryDeliveries'])
      expect({ name, report: await here.runSchedule(name) }).toMatchObject({ report: { failed: 0 } });
  }
}

/** Deletes the expired rows, as DynamoDB would. The embedded database does not do this. */
async function playTtl({ environment, services }: Stage): Promise<void> {
  const rows = await itemsOf(environment, ({ expiresAt }) => Number(expiresAt ?? Infinity) * 1000 <= Date.now());
  await services.table.writeMany(rows.map((row) => removeKey(getRowKey(row))));
}

/**
 * Returns the keys of the rows that mention one of these projects or runs. Leaves out audit records and outbox events,
 * which outlive projects.
 */
async function rowsOf({ environment, organizationId }: Stage, ...names: readonly string[]): Promise<string[]> {
  const all = await itemsWith(environment, organizationId);
  const mentions = (row: (typeof all)[number]) =>
    names.some((name) => JSON.stringify(row).includes(`"${name}"`) || placeOf(row).includes(name));
  return all
    .filter(mentions)
    .map(placeOf)
    .filter((place) => !/^(AUDIT|OUTBOX)#/.test(place));
}

const rowsLeft = (here: Stage): Promise<string[]> => rowsOf(here, here.projectId, ...here.runIds);

describe('The removal of a deleted project', () => {
  test('removes all rows, files and credentials of the project, and nothing of other projects', async () => {
    const here = await stage();
    const { services, notification, kept, reader, projectId } = here;
    const others = (await rowsOf(here, kept)).filter((place) => !/^(DUE|PENDING)#/.test(place));
    expect(others.length).toBeGreaterThan(3);
    const lacking = ROWS_OF_PROJECT.map(async ({ partitions, kinds }) => {
      const spans = getPartitionSpans(partitions(here));
      const rows = await Promise.all(spans.map((span) => services.table.queryAll({ load: (row) => row }, span)));
      return rows.flat().length === 0 ? kinds.map(({ type }) => type) : [];
    });
    // Pending runs have been merged into summaries.
    expect((await Promise.all(lacking)).flat()).toEqual(['analytics, pending run']);
    await remove(here);
    clock.advance(30 * DAY - 60_000);
    await here.runSchedule('removeProjects');
    expect((await reader.get(`/projects/${projectId}`)).status).toBe(200);
    await sweepFor(here, 5);
    expect((await reader.get(`/projects/${projectId}`)).status).toBe(404);
    expect((await reader.get('/projects')).body.data).toMatchObject([{ projectId: kept }]);
    for (const runId of here.runIds) expect((await reader.get(`/runs/${runId}`)).status).toBe(404);
    expect(await readCredential(services.secrets, notification)).toBeUndefined();
    expect(await objectsOf(here)).toEqual([]);
    clock.advance(2 * DAY);
    await sweepFor(here, 1);
    await playTtl(here);
    expect(await rowsLeft(here)).toEqual([]);
    expect(await rowsOf(here, kept)).toEqual(expect.arrayContaining(others));
  });

  test.each(sampled([0, 1, 2, 3, 5, 8, 13, 21], 3))(
    'A removal that is interrupted after %i writes is completed by later sweeps',
    async (writes) => {
      const here = await stage();
      await remove(here);
      clock.advance(30 * DAY + 1000);
      await removeProjects(dyingAfter(here.services, writes), TIME);
      await sweepFor(here, 5);
      clock.advance(2 * DAY);
      await sweepFor(here, 1);
      await playTtl(here);
      expect(await rowsLeft(here)).toEqual([]);
      expect(await objectsOf(here)).toEqual([]);
    },
  );

  test('A removal that runs out of time is continued by the next sweep, which does not report it as late', async () => {
    const here = await stage();
    await remove(here);
    clock.advance(30 * DAY + 1000);
    expect(await removeProjects(here.services, { remainingMilliseconds: () => 11_000 })).toMatchObject({
      due: 1,
      failed: 0,
    });
    // The sweep checks the remaining time before each shard, and the removal checks it before each partition of the
    // project. The time runs out after this many checks.
    let left = dueProjects.shards + 2;
    const short = { remainingMilliseconds: () => (left-- > 0 ? 60_000 : 1000) };
    clock.advance(61_000);
    expect(await removeProjects(here.services, short)).toMatchObject({ failed: 0 });
    clock.advance(61_000);
    const { lateSeconds } = await removeProjects(here.services, TIME);
    expect(lateSeconds).toBeLessThan(10);
  });

  test('A project that is restored while its removal is due is either removed completely or kept completely', async () => {
    const here = await stage();
    await remove(here);
    clock.advance(30 * DAY + 1000);
    const [restored] = await Promise.all([
      here.api.put(`/projects/${here.projectId}/restore`),
      removeProjects(here.services, TIME),
    ]);
    await sweepFor(here, 4);
    const runs = await Promise.all(here.runIds.map(async (runId) => (await here.reader.get(`/runs/${runId}`)).status));
    expect(runs).toEqual(here.runIds.map(() => restored.status));
    expect((await here.reader.get(`/projects/${here.projectId}`)).status).toBe(restored.status);
  });
});
