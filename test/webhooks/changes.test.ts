import { describe, expect, test } from 'vitest';
import { auditRecords, auditSpan } from '#shared/resources/audit-record.ts';
import { webhooks, webhooksOfProject, webhooksSpan } from '#shared/resources/webhook.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { deleteWebhook } from '#shared/webhooks/delete-webhook.ts';
import { deleteSecret, rotateSecret } from '#shared/webhooks/rotate-secret.ts';
import { sendTest } from '#shared/webhooks/send-test.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { type OwnWebhook, orderFor, ownWebhook } from './own-webhook.ts';

type Services = OwnWebhook['services'];
type Of = OwnWebhook['of'];

describe('A receiver in a private network', () => {
  test.each(['https://10.0.0.7/hook', 'http://receiver.invalid/hook', 'https://localhost/hook'])(
    '%s is taken only where the operator allows them, for a new webhook and for one that is changed',
    async (url) => {
      const { services, of, created } = await ownWebhook();
      const wish = { url, headers: null, hookEvents: [], label: null, signed: false };
      const creation = { ...of, projectId: created.projectId, wish };
      await expect(createWebhook(services, creation)).rejects.toMatchObject({ statusCode: 400 });
      await expect(updateWebhook(services, { ...of, wish: { url } })).rejects.toMatchObject({ statusCode: 400 });
      const allowing = { ...services, privateReceivers: 'machine' as const };
      expect(await createWebhook(allowing, creation)).toMatchObject({ url });
      expect(await updateWebhook(allowing, { ...of, wish: { url } })).toMatchObject({ url });
    },
  );
});

describe('A webhook that is deleted', () => {
  test('stands in no list any more', async () => {
    const { services, of, created } = await ownWebhook();
    const listed = { ...of, projectId: created.projectId };
    expect(await services.table.queryAll(webhooksOfProject, webhooksSpan(listed))).toHaveLength(1);
    await deleteWebhook(services, of);
    expect(await services.table.queryAll(webhooksOfProject, webhooksSpan(listed))).toEqual([]);
    expect(await services.table.get(webhooks, of)).toBeUndefined();
  });

  test.each([
    ['changed', (services: Services, of: Of) => updateWebhook(services, { ...of, wish: { label: 'Late' } })],
    ['stopped', (services: Services, of: Of) => updateWebhook(services, { ...of, wish: { enabled: false } })],
    ['given another secret', rotateSecret],
    ['made to sign no more', deleteSecret],
  ])('does not come back when it is %s at that moment', async (_, act) => {
    const { services, of } = await ownWebhook();
    const late = interruptedAt(services, 1, () => deleteWebhook(services, of));
    await expect(act({ ...services, ...late.services }, of)).rejects.toThrow('Webhook not found');
    expect(late.happened()).toBe(true);
    expect(await services.table.get(webhooks, of)).toBeUndefined();
  });
});

describe('A webhook that is enabled again', () => {
  test('starts with a clean slate and one test event, however often that is asked for, and by two at once', async () => {
    const { services, of, listed, orders } = await ownWebhook();
    const bad = { failures: 9, failingSince: 1, pausedUntil: 2, disabled: { at: 3, reason: 'failing' } };
    await services.table.update(webhooks, of, { set: Object.entries(bad) });
    const wish = { enabled: true, hookEvents: ['RUN_TIMEOUT' as const] };
    const enable = (on: Services) => updateWebhook(on, { ...of, wish });
    const late = interruptedAt(services, 1, () => enable(services));
    await enable({ ...services, ...late.services });
    await enable(services);
    expect(late.happened()).toBe(true);
    const webhook = await services.table.get(webhooks, of);
    expect(webhook).toMatchObject({ failures: 0, hookEvents: ['RUN_TIMEOUT'] });
    for (const member of ['failingSince', 'pausedUntil', 'disabled']) expect(webhook).not.toHaveProperty(member);
    const [delivery, ...others] = await listed();
    expect([delivery?.event, delivery?.test, others]).toEqual(['RUN_TIMEOUT', true, []]);
    expect(await orders()).toEqual([orderFor(of, delivery?.deliveryId ?? '', 0)]);
  });

  test('gets no test event where it was enabled all the time', async () => {
    const { services, of, orders } = await ownWebhook();
    await updateWebhook(services, { ...of, wish: { enabled: true, url: 'https://other.invalid' } });
    expect(await orders()).toEqual([]);
  });
});

describe('§5 The audit record', () => {
  test('tells of each change of a webhook who made it, and never a URL, a header or a secret', async () => {
    const { services, of, created } = await ownWebhook();
    const again = { ...of, wish: { label: 'Chat' } };
    await updateWebhook(services, { ...of, wish: { url: 'https://other.invalid/t0ken', headers: { A: 's3cret' } } });
    await updateWebhook(services, again);
    await updateWebhook(services, { ...of, wish: { enabled: false } });
    await updateWebhook(services, { ...of, wish: { enabled: true, label: null } });
    const { signingSecret } = await rotateSecret(services, of);
    await deleteSecret(services, of);
    await deleteSecret(services, of);
    await sendTest(services, of);
    await deleteWebhook(services, of);
    const records = await services.table.queryAll(auditRecords, auditSpan(of), { consistent: true });
    const told = records.filter(({ subject }) => subject === of.hookId);
    expect(told.map(({ actor, action, detail }) => [actor, action, detail]).sort()).toEqual([
      ['API key CI', 'webhook changed', 'disabled'],
      ['API key CI', 'webhook changed', 'label, enabled'],
      ['API key CI', 'webhook changed', 'url, headers'],
      ['API key CI', 'webhook created', `project ${created.projectId}`],
      ['API key CI', 'webhook deleted', `project ${created.projectId}`],
      ['API key CI', 'webhook secret deleted', ''],
      ['API key CI', 'webhook secret rotated', ''],
    ]);
    for (const secret of ['t0ken', 's3cret', signingSecret, created.signingSecret ?? '?']) {
      expect(JSON.stringify(records)).not.toContain(secret);
    }
  });
});
