/**
 * Tests that rules, orchestration, caches and notifications of two organizations stay separate, although the
 * organizations use the same project id, build id and names.
 */
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readCredential } from '#shared/model/credential.ts';
import { deriveNotificationId, notifications } from '#shared/model/events/notification.ts';
import { getNotificationDeliveriesSpan, notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { deleteNotification } from '#shared/notifications/change-notification.ts';
import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { GithubStandIn } from '#test/harness/github.ts';
import { askForTask, specsOf, startSession, takeTask } from '#test/harness/orchestration.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed, pending, suiteGroup } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { createRule, rulesPath } from '#test/harness/rules.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { hostSettings } from '#test/notifications/stage.ts';
import { RANGE, twins } from './look-alikes.ts';

deliverEvents();

const PAYS = 'pay.spec.ts > pays';
const SUITE = [suiteGroup('retail', ['a.spec.ts > works', 'b.spec.ts > works'])];

type Twins = Awaited<ReturnType<typeof twins>>;
const pairs = ({ here, there }: Twins) => [[here, there] as const, [there, here] as const];

describe('Two organizations with the same project id', () => {
  test('Organizations see, change and apply only their own rules', async () => {
    const both = await twins();
    const own = await createRule(both.here);
    const foreign = await createRule(both.there);
    const ids = new Map([
      [both.here.organizationId, own.actionId],
      [both.there.organizationId, foreign.actionId],
    ]);
    for (const [one, other] of pairs(both)) {
      const mine = ids.get(one.organizationId);
      const theirs = ids.get(other.organizationId);
      const path = `/actions/${theirs}`;
      const before = (await other.api.get(path)).body;
      const answers = [
        await one.api.get(path),
        await one.api.put(path, { name: 'Taken' }),
        await one.api.send('DELETE', path),
        await one.api.send('PUT', `${path}/enable`),
        await one.api.send('PUT', `${path}/disable`),
        await one.api.get(`${path}/tests${RANGE}`),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
      expect((await other.api.get(path)).body).toEqual(before);
      const listed = (await one.api.get(rulesPath(one))).body.data;
      expect(listed.map(({ actionId }: { actionId: string }) => actionId)).toEqual([mine]);
      const served = (await one.api.get(`@/rules/project/${one.projectId}`)).body.rules;
      expect(served.map(({ _id }: { _id: string }) => _id)).toEqual([mine]);
    }
  });

  test('An organization sees no rule of another organization, even if its own test results refer to that rule', async () => {
    const both = await twins();
    const { actionId } = await createRule(both.here);
    const mark = { annotations: marksOf({ actionId, type: 'quarantine', applied: true }) };
    for (const tenant of [both.here, both.there]) {
      const { api, projectId } = tenant;
      await recordRun({ api, projectId }, { retail: { tests: { [PAYS]: pending(mark) } } });
    }
    await compileRuns(both.here);
    const affected = (tenant: Twins['there'], more = '') =>
      tenant.api.get(`/actions/tests${RANGE}&projectId=${tenant.projectId}${more}`);
    const [{ signature }] = (await affected(both.here)).body.data.list;
    expect((await both.here.api.get(`/actions/${actionId}/tests${RANGE}`)).body.data).toHaveLength(1);
    expect((await both.there.api.get(`/actions/${actionId}/tests${RANGE}`)).status).toBe(404);
    expect((await affected(both.there)).body.data.list).toMatchObject([{ actions: [{ actionId, name: null }] }]);
    const foreign = await both.there.api.get(`/actions/tests/${signature}${RANGE}&projectId=${both.there.projectId}`);
    expect(foreign.body.data ?? []).toEqual([]);
  });

  test('Organizations distribute the spec files of a build only to their own machines', async () => {
    const both = await twins();
    const own = await startSession(both.here, SUITE, { machineId: 'm1' });
    const foreign = await startSession(both.there, SUITE, { machineId: 'm1' });
    expect(own.id).not.toBe(foreign.id);
    for (const [one, session] of [[both.here, foreign] as const, [both.there, own] as const]) {
      expect(await askForTask(one, session)).toMatchObject({ status: 404 });
      const reset = await one.api.put(`@/runs/v1/${session.runId}/reset`, { machineId: 'm1' });
      expect(reset.status).toBe(404);
    }
    for (const [one, session] of [[both.here, own] as const, [both.there, foreign] as const]) {
      const taken = [...specsOf(await takeTask(one, session)), ...specsOf(await takeTask(one, session))];
      expect(taken.sort()).toEqual(['retail a.spec.ts', 'retail b.spec.ts']);
    }
  });

  test('Organizations that give a cache the same name have separate caches, and a modified link does not reach the cache of another organization', async () => {
    const both = await twins();
    vi.useRealTimers();
    const own = (await both.here.api.post('@/cache/upload', { id: 'shop' })).body;
    const foreign = (await both.there.api.post('@/cache/upload', { id: 'shop' })).body;
    expect(own.cacheKey.split('.')[0]).toBe(foreign.cacheKey.split('.')[0]);
    for (const [links, organization] of [
      [own, both.there],
      [foreign, both.here],
    ] as const) {
      const moved = new URL(links.uploadUrl);
      moved.pathname = moved.pathname.replace(links.orgId, organization.organizationId);
      expect(moved.href).not.toBe(links.uploadUrl);
      expect((await fetch(moved, { method: 'PUT', body: 'stolen' })).status).toBe(403);
      expect((await fetch(links.uploadUrl, { method: 'PUT', body: links.orgId })).status).toBe(200);
      expect(await organization.api.post('@/cache/v2/download', { cacheKey: links.cacheKey })).toMatchObject({
        status: 404,
      });
    }
    const read = await both.here.api.post('@/cache/v2/download', { cacheKey: own.cacheKey });
    expect(await (await fetch(read.body.readUrl)).text()).toBe(both.here.organizationId);
  });

  test('Organizations send notifications about their own runs to their own GitHub repository, with their own credentials', async () => {
    const both = await twins();
    const services = { ...both.here.services, secrets: connectSecrets(both.here.environment)() };
    const tell = async ({ organizationId, projectId }: Twins['there']) => {
      const github = await GithubStandIn.start();
      const credential = `ghs_${organizationId}`;
      github.tokens = [credential];
      const request = { organizationId, projectId, actor: OPERATOR };
      await saveNotification(services, {
        ...request,
        settings: hostSettings('github', github.url, { credential, comments: false }),
      });
      const key = { organizationId, hookId: deriveNotificationId(projectId, 'github') };
      return { github, request, key, credential };
    };
    const own = await tell(both.here);
    const foreign = await tell(both.there);
    expect(own.key.hookId).toBe(foreign.key.hookId);
    for (const [tenant, state] of [
      [both.here, passed()],
      [both.there, failed()],
    ] as const)
      await recordRun({ api: tenant.api, projectId: tenant.projectId }, { retail: { tests: { [PAYS]: state } } });
    for (const [one, state] of [
      [own, 'success'],
      [foreign, 'failure'],
    ] as const) {
      await expect.poll(() => one.github.statuses.at(-1)?.state).toBe(state);
      const sent = one.github.received.map(({ header }) => header('authorization'));
      expect(new Set(sent)).toEqual(new Set([`Bearer ${one.credential}`]));
      const [listed] = await listNotifications(services, one.request);
      expect(listed?.last?.organizationId).toBe(one.key.organizationId);
    }
    await deleteNotification(services, { ...foreign.request, place: 'github' });
    const left = await services.table.get(notifications, own.key, { consistent: true });
    expect(left && (await readCredential(services.secrets, left))).toBe(own.credential);
    const told = await services.table.queryAll(notificationDeliveries, getNotificationDeliveriesSpan(own.key), {
      consistent: true,
    });
    expect(told.length).toBeGreaterThan(0);
  });
});
