import { describe, expect, test } from 'vitest';
import { getWebhooksSpan, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { deleteWebhook } from '#shared/webhooks/change-webhook.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { deleteSecret, rotateSecret } from '#shared/webhooks/rotate-secret.ts';
import { sendTestEvent } from '#shared/webhooks/test-event.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { jobFor, type OwnWebhook, ownWebhook } from './own-webhook.ts';

deliverEvents();

type Services = OwnWebhook['services'];
type Of = OwnWebhook['of'];

describe('a receiver in a private network', () => {
  test.each(['https://10.0.0.7/hook', 'http://receiver.invalid/hook', 'https://localhost/hook'])(
    'The webhook URL %s is accepted only if the operator allows private receivers',
    async (url) => {
      const { services, of, created } = await ownWebhook();
      const input = { url, headers: null, hookEvents: [], label: null, signed: false };
      const creation = { ...of, projectId: created.projectId, input };
      await expect(createWebhook(services, creation)).rejects.toMatchObject({ statusCode: 400 });
      await expect(updateWebhook(services, { ...of, input: { url } })).rejects.toMatchObject({ statusCode: 400 });
      const allowing = { ...services, privateReceivers: 'machine' as const };
      expect(await createWebhook(allowing, creation)).toMatchObject({ url });
      expect(await updateWebhook(allowing, { ...of, input: { url } })).toMatchObject({ url });
    },
  );
});

describe('a deleted webhook', () => {
  test('is removed from the table and from the list of its project', async () => {
    const { services, of, created } = await ownWebhook();
    const listed = { ...of, projectId: created.projectId };
    expect(await services.table.queryAll(webhooksOfProject, getWebhooksSpan(listed))).toHaveLength(1);
    await deleteWebhook(services, of);
    expect(await services.table.queryAll(webhooksOfProject, getWebhooksSpan(listed))).toEqual([]);
    expect(await services.table.get(webhooks, of)).toBeUndefined();
  });

  test.each([
    ['an update', (services: Services, of: Of) => updateWebhook(services, { ...of, input: { label: 'Late' } })],
    ['disabling it', (services: Services, of: Of) => updateWebhook(services, { ...of, input: { enabled: false } })],
    ['a secret rotation', rotateSecret],
    ['a secret deletion', deleteSecret],
  ])('stays deleted despite a concurrent write: %s', async (_, act) => {
    const { services, of } = await ownWebhook();
    const late = interruptedAt(services, 1, () => deleteWebhook(services, of));
    await expect(act({ ...services, ...late.services }, of)).rejects.toThrow('Webhook not found');
    expect(late.happened()).toBe(true);
    expect(await services.table.get(webhooks, of)).toBeUndefined();
  });
});

describe('a webhook that is enabled again', () => {
  test('Enabling a webhook again closes its circuit breaker and sends one test event, even if concurrent requests enable the webhook', async () => {
    const { services, of, listed, jobs } = await ownWebhook();
    const bad = { failures: 9, failingSince: 1, pausedUntil: 2, disabled: { at: 3, reason: 'failing' } };
    await services.table.update(webhooks, of, { set: Object.entries(bad) });
    const input = { enabled: true, hookEvents: ['RUN_TIMEOUT' as const] };
    const enable = (on: Services) => updateWebhook(on, { ...of, input });
    const late = interruptedAt(services, 1, () => enable(services));
    await enable({ ...services, ...late.services });
    await enable(services);
    expect(late.happened()).toBe(true);
    const webhook = await services.table.get(webhooks, of);
    expect(webhook).toMatchObject({ failures: 0, hookEvents: ['RUN_TIMEOUT'] });
    for (const member of ['failingSince', 'pausedUntil', 'disabled']) expect(webhook).not.toHaveProperty(member);
    const [delivery, ...others] = await listed();
    expect([delivery?.event, delivery?.test, others]).toEqual(['RUN_TIMEOUT', true, []]);
    expect(await jobs()).toEqual([jobFor(of, delivery?.deliveryId ?? '', 0)]);
  });

  test('A request that enables a webhook sends no test event if the webhook was already enabled', async () => {
    const { services, of, jobs } = await ownWebhook();
    await updateWebhook(services, { ...of, input: { enabled: true, url: 'https://other.invalid' } });
    expect(await jobs()).toEqual([]);
  });
});

describe('§5 the audit record', () => {
  test('The audit records name each change of a webhook and who made it, but no URL, header value or secret', async () => {
    const { services, of, created } = await ownWebhook();
    const again = { ...of, input: { label: 'Chat' } };
    await updateWebhook(services, { ...of, input: { url: 'https://other.invalid/t0ken', headers: { A: 's3cret' } } });
    await updateWebhook(services, again);
    await updateWebhook(services, { ...of, input: { enabled: false } });
    await updateWebhook(services, { ...of, input: { enabled: true, label: null } });
    const { signingSecret } = await rotateSecret(services, of);
    await deleteSecret(services, of);
    await deleteSecret(services, of);
    await sendTestEvent(services, of);
    await deleteWebhook(services, of);
    const records = await services.table.queryAll(auditRecords, getAuditSpan(of), { consistent: true });
    const ownRecords = records.filter(({ subject }) => subject === of.hookId);
    expect(ownRecords.map(({ actor, action, detail }) => [actor, action, detail]).sort()).toEqual([
      ['api:CI', 'webhook changed', 'disabled'],
      ['api:CI', 'webhook changed', 'label, enabled'],
      ['api:CI', 'webhook changed', 'url, headers'],
      ['api:CI', 'webhook created', `project ${created.projectId}`],
      ['api:CI', 'webhook deleted', `project ${created.projectId}`],
      ['api:CI', 'webhook secret deleted', ''],
      ['api:CI', 'webhook secret rotated', ''],
      ['api:CI', 'webhook tested', `project ${created.projectId}`],
    ]);
    for (const secret of ['t0ken', 's3cret', signingSecret, created.signingSecret ?? '?']) {
      expect(JSON.stringify(records)).not.toContain(secret);
    }
  });
});
