/**
 * The audit records of changes that people and scripts make to runs, imports, webhooks and sessions through the API and
 * the pages.
 */
import { describe, expect, test, vi } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { runs } from '#shared/model/runs/run.ts';
import { addMember } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { administration } from '#test/harness/administration.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { member } from '#test/harness/people.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';
import { withWebhook } from '#test/pages/webhook-stage.ts';

type Stage = TestService & Tenant;

const SUMS = 'cart.spec.ts > sums';
const LAST = 'last.spec.ts > ends';
const TAX = 'tax.spec.ts > rounds';
const ISO = /\d{4}-\d\d-\d\dT[\d:.]+Z/.source;

const recordsOf = async ({ services }: Stage, organizationId: string, verb: string) => {
  const { records } = await readAudit(services, { organizationId, actor: OPERATOR, limit: 50 });
  return records.filter(({ action }) => action === verb);
};

/** Uploads a finished run of the build. */
const uploaded = (stage: Stage, ciBuildId: string) =>
  upload(stage, [suiteGroup('retail', [SUMS])], [batchInstance('retail', 'cart.spec.ts', { [SUMS]: passed() })], {
    ciBuildId,
  });

describe('§5 Audit records of runs:', () => {
  test('The audit log shows when and by whom a run was deleted, whether by a script or a person, with the build and the project of the run', async () => {
    const { tenant: stage, run: admin } = await administration();
    const { organizationId, projectId } = stage;
    const account = await member(stage, 'admin');
    const visitor = await signIn(stage, account);
    const first = await uploaded(stage, 'nightly-1');
    const second = await uploaded(stage, 'nightly-2');
    clock.advance(1000);
    expect((await stage.api.send('DELETE', `/runs/${first.runId}`)).status).toBe(200);
    expect((await stage.api.send('DELETE', `/runs/${first.runId}`)).status).toBe(404);
    clock.advance(1000);
    expect((await visitor.post(`/${organizationId}/${projectId}/runs/${second.runId}/delete`)).status).toBe(303);
    const detail = `project Shop (${projectId})`;
    expect(await recordsOf(stage, organizationId, 'run deleted')).toMatchObject([
      { actor: `user:${account.accountId}`, subject: second.runId, label: 'nightly-2', detail, at: Date.now() },
      {
        actor: expect.stringMatching(/^api:/),
        subject: first.runId,
        label: 'nightly-1',
        detail,
        at: Date.now() - 1000,
      },
    ]);
    const page = (await visitor.get(`/${organizationId}/settings/audit`)).text;
    expect(page).toMatch(
      new RegExp(`run deleted: nightly-2.{0,5}project Shop.*?Alex Doe.*?nightly-2.{0,5}${second.runId}`),
    );
    const { output } = await admin('audit', 'list', '--organization', organizationId);
    expect(output).toMatch(new RegExp(`${account.email} +run deleted +nightly-2 +${second.runId}`));
  });

  test('If the deletion of a run is interrupted before or after its first write, there is an audit record if and only if the run is gone', async () => {
    const stage = await service();
    const { services, organizationId } = stage;
    const { runId } = await uploaded(stage, 'nightly');
    const key = { organizationId, runId };
    const outcomes: string[] = [];
    for (let writes = 0; outcomes.at(-1) !== 'done'; writes += 1) {
      const outcome = await deleteRun(dyingAfter(services, writes), { ...key, actor: OPERATOR }).then(
        () => 'done',
        (error: Error) => error.message,
      );
      const isGone = !(await services.table.get(runs, key, { consistent: true }));
      const records = await recordsOf(stage, organizationId, 'run deleted');
      outcomes.push(outcome);
      expect([isGone, records.length]).toEqual(writes === 0 ? [false, 0] : [true, 1]);
      // The run is gone, so a repeated request would get 404, and a scheduled job removes the remaining rows.
      if (isGone) break;
    }
    expect(outcomes).toEqual(['The process has died', 'The process has died']);
  });
});

test('A reset of a machine by a person is audited once, even if it frees several spec files', async () => {
  const stage = await service();
  const { organizationId, projectId } = stage;
  const account = await member(stage, 'member');
  const visitor = await signIn(stage, account);
  const run = await startRun(stage, [suiteGroup('retail', [SUMS, TAX, LAST])], {
    machineId: 'dead',
    ciBuildId: 'nightly',
  });
  for (const [spec, test] of [['cart.spec.ts', SUMS] as const, ['tax.spec.ts', TAX] as const]) {
    await createRecord(stage, await claim(stage, { ...run, machineId: 'dead' }, spec), test, failed());
  }
  const reset = (machineId: string) =>
    visitor.post(`/${organizationId}/${projectId}/runs/${run.runId}/reset`, { machineId });
  expect((await reset('another')).status).toBe(303);
  expect(await recordsOf(stage, organizationId, 'run reset')).toEqual([]);
  expect((await reset('dead')).status).toBe(303);
  expect((await reset('dead')).status).toBe(303);
  expect(await recordsOf(stage, organizationId, 'run reset')).toMatchObject([
    {
      actor: `user:${account.accountId}`,
      subject: run.runId,
      label: 'nightly',
      detail: `project Shop (${projectId}), machine dead`,
    },
  ]);
});

test('The audit log records who requested an upload link, who uploaded a report with the form, and for which project', async () => {
  const stage = await service();
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const { organizationId, projectId, origin } = stage;
  const account = await member(stage, 'member');
  const { cookie, post } = await signIn(stage, account);
  const path = `/${organizationId}/${projectId}/imports`;
  expect((await stage.api.send('POST', `/projects/${projectId}/imports/links?ciBuildId=nightly`)).status).toBe(201);
  expect((await post(`${path}/links`, { name: 'by-link.xml' })).status).toBe(200);
  const body = new FormData();
  body.append('report', new Blob(['<testsuites/>']), 'by-form.xml');
  const headers = { cookie, 'sec-fetch-site': 'same-origin', accept: 'text/html' };
  const sent = await fetch(`${origin}${path}/new`, { method: 'POST', body, headers, redirect: 'manual' });
  expect(sent.status).toBe(303);
  const detail = `project Shop (${projectId})`;
  const links = await recordsOf(stage, organizationId, 'import link created');
  const shown = links.map(({ actor, label, ...record }) => [actor, label, record.detail]);
  expect(shown.sort()).toEqual([
    [expect.stringMatching(/^api:/), 'nightly', detail],
    [`user:${account.accountId}`, 'by-link.xml', detail],
  ]);
  expect(await recordsOf(stage, organizationId, 'report uploaded')).toMatchObject([
    { actor: `user:${account.accountId}`, label: 'by-form.xml', detail },
  ]);
});

describe('§5 Audit records of webhooks:', () => {
  test('The audit records about a test event and about a repeated delivery name the webhook', async () => {
    const { hookId, deliveries, ...stage } = await withWebhook();
    const { organizationId, projectId } = stage;
    expect((await stage.api.post(`/webhooks/${hookId}/test`, {})).status).toBe(200);
    const [{ deliveryId }] = await deliveries();
    clock.advance(24 * 60 * 60 * 1000);
    const again = await stage.api.post(`/webhooks/${hookId}/deliveries/${deliveryId}/redeliver`, {});
    expect(again.status).toBe(200);
    const [tested] = await recordsOf(stage, organizationId, 'webhook tested');
    const [repeated] = await recordsOf(stage, organizationId, 'delivery repeated');
    expect(tested).toMatchObject({
      actor: expect.stringMatching(/^api:/),
      subject: hookId,
      label: 'Chat',
      detail: `project ${projectId}`,
    });
    expect(repeated).toMatchObject({ subject: hookId, label: 'Chat', detail: expect.stringContaining(deliveryId) });
  });

  test('An audit record does not contain the URL of a webhook, even if the label of the webhook is this URL', async () => {
    const { hookId, ...stage } = await withWebhook({ label: 'https://receiver.invalid/t0ken' });
    await stage.api.send('DELETE', `/webhooks/${hookId}`);
    const { records } = await readAudit(stage.services, { ...stage, actor: OPERATOR });
    expect(records.map(({ action, label }) => [action, label])).toContainEqual(['webhook deleted', 'receiver.invalid']);
    expect(JSON.stringify(records)).not.toContain('t0ken');
  });
});

describe('§5 Audit records of sessions:', () => {
  test('The audit log of each organization of a person shows the end of a session, with the browser and the start of the session', async () => {
    const stage = await service();
    const { services, organizationId } = stage;
    const account = await member(stage, 'guest');
    const other = await stage.tenant('Elsewhere');
    const { accountId } = account;
    await addMember(services, { ...other, accountId, role: 'guest', actor: OPERATOR });
    const [here] = [await signIn(stage, account), await signIn(stage, account)];
    await here.post('/account/end-other-sessions');
    clock.advance(1000);
    await here.post('/sign-out');
    for (const one of [organizationId, other.organizationId]) {
      const ended = await recordsOf(stage, one, 'session ended');
      expect(ended).toHaveLength(2);
      for (const record of ended) {
        expect(record).toMatchObject({ actor: `user:${accountId}`, subject: makePerson(account).accountId });
        expect(record.detail).toMatch(new RegExp(`^unknown browser, signed in by link at ${ISO}$`));
      }
    }
  });
});
