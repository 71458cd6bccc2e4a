import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { fillIn, valuesOf } from './form-of.ts';
import { place, secretIn, stage, URL, withWebhook } from './webhook-stage.ts';

let shared: ReturnType<typeof stage> | undefined;
/** Refused forms change nothing, so the tests of refusals share one organization. */
const sharedStage = () => (shared ??= stage());

describe('§6 A webhook', () => {
  test('A webhook is created by an Admin with its events and headers, and its signing secret is shown once', async () => {
    const { admin, page, listed } = await stage();
    const sent = {
      url: URL,
      label: 'Chat <b>',
      hookEvents: 'RUN_FINISH',
      headers: 'Authorization: Bearer a:b\r\nX-Room: 7',
    };
    const created = await fillIn(admin, `${page}/new`, sent);
    expect(created.status).toBe(200);
    expect(created.headers.get('cache-control')).toBe('no-store');
    expect(secretIn(created)).not.toBe('no secret');
    const [webhook] = await listed();
    expect(webhook).toMatchObject({ url: URL, label: 'Chat <b>', hookEvents: ['RUN_FINISH'], signed: true });
    expect(JSON.parse(webhook.headers)).toEqual({ Authorization: 'Bearer a:b', 'X-Room': '7' });
    const shown = await admin.get(`${page}/${webhook.hookId}`);
    expect(shown.text).toContain('Chat <b>');
    expect(shown.html).not.toContain(secretIn(created));
    expect((await admin.get(page)).links).toContain(`${page}/${webhook.hookId}`);
  });

  test('The settings of a project say which connections are on and what was last sent', async () => {
    const { admin, page, api, hookId } = await withWebhook();
    const settings = page.replace(/webhooks$/, 'settings');
    const before = (await admin.get(settings)).text;
    expect(before).toMatch(/Chat\s*enabled\s*nothing sent yet/);
    expect(before).toMatch(/Notifications.*not connected.*Webhooks/s);
    await api.post(`/webhooks/${hookId}/test`, {});
    expect((await admin.get(settings)).text).toMatch(/Chat\s*enabled\s*last:\s*pending/);
  });

  test('A webhook is created without a secret and for all events if neither a signature nor events are selected', async () => {
    const { admin, page, listed } = await stage();
    const form = valuesOf(await admin.get(`${page}/new`));
    const answer = await admin.post(`${page}/new`, { formId: form['formId'] ?? '', url: URL });
    const [webhook] = await listed();
    expect([answer.status, place(answer)]).toEqual([303, `${page}/${webhook.hookId}`]);
    expect(webhook).toMatchObject({ label: null, headers: null, hookEvents: [], signed: false });
    expect((await admin.get(page)).text).toMatch(/receiver\.invalid\s*enabled\s*none yet/);
    await admin.post(`${page}/${webhook.hookId}/test`);
    expect((await admin.get(page)).text).toMatch(/enabled\s*pending \d+ Nov 2026/);
  });

  test('A webhook is created once even if its form is sent eight times at the same time', async () => {
    const { admin, page, listed } = await stage();
    const form = { ...valuesOf(await admin.get(`${page}/new`)), url: URL };
    const answers = await Promise.all(Array.from({ length: 8 }, () => admin.post(`${page}/new`, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    expect(answers.filter((answer) => secretIn(answer) !== 'no secret')).toHaveLength(1);
    expect(await listed()).toHaveLength(1);
  });

  test.each([
    ['url', { url: 'https://169.254.169.254/latest' }, 'This service may not send to 169.254.169.254'],
    ['url', { url: 'https://user:password@receiver.invalid' }, 'The URL contains a user name or password'],
    ['headers', { headers: 'X-Room 7' }, 'Line 1 of the headers is not a header'],
    ['headers', { headers: 'Host: evil.example' }, 'The header Host is reserved'],
    ['headers', { headers: 'X-Room: 7\nX-Room: 8' }, 'The header X-Room occurs twice'],
  ])(
    'A webhook is not created if the field `%s` is invalid, and the form shows the error beside the field: %j',
    async (field, refusedValues, message) => {
      const { admin, page, listed } = await sharedStage();
      const sent = { url: URL, headers: 'X-Kept: "><b>', label: 'Kept', ...refusedValues };
      const refused = await fillIn(admin, `${page}/new`, sent);
      expect(refused.status).toBe(400);
      expect(valuesOf(refused)).toMatchObject(sent);
      expect(refused.html).toContain(`id="field-${field}-problem"`);
      expect(refused.html).toMatch(new RegExp(`aria-describedby="field-${field}-hint field-${field}-problem"`));
      expect(refused.text.split(message)).toHaveLength(3);
      expect(await listed()).toEqual([]);
    },
  );

  test('A webhook is not created if its label is too long, its URL is missing, or an event is unknown', async () => {
    const { admin, page, listed } = await sharedStage();
    for (const [field, value] of [
      ['label', 'x'.repeat(256)],
      ['hookEvents', 'RUN_DELETED'],
      ['url', ''],
    ] as const)
      expect((await fillIn(admin, `${page}/new`, { url: URL, [field]: value })).status).toBe(400);
    expect(await listed()).toEqual([]);
  });

  test('A webhook is changed by its form, but a form without changes writes neither the webhook nor an audit record', async () => {
    const { admin, at, read, services, organizationId } = await withWebhook({ headers: '{ "X-Room": "7" }' });
    const before = await read();
    expect(place(await fillIn(admin, `${at}/edit`, {}))).toBe(at);
    expect(await read()).toEqual(before);
    await fillIn(admin, `${at}/edit`, { label: '', hookEvents: 'RUN_START', headers: '' });
    expect(await read()).toMatchObject({ url: URL, label: null, hookEvents: ['RUN_START'], headers: null });
    const { records } = await readAudit(services, { organizationId, actor: OPERATOR });
    const changes = records.filter(({ action }) => action === 'webhook changed');
    expect(changes.map(({ detail }) => detail)).toEqual(['headers, hookEvents, label']);
  });

  test('A webhook shows the values of its headers only in its form, which browsers do not cache', async () => {
    const { admin, at, page } = await withWebhook({ headers: { 'X-Token': 's3cret-value' } });
    for (const path of [page, at, `${at}/delete`]) expect((await admin.get(path)).html).not.toContain('s3cret-value');
    expect((await admin.get(at)).text).toContain('X-Token: ••••');
    const form = await admin.get(`${at}/edit`);
    expect(valuesOf(form)['headers']).toBe('X-Token: s3cret-value');
    expect(form.headers.get('cache-control')).toBe('no-store');
  });

  test('A webhook can be disabled manually, and sends a test event when it is enabled again', async () => {
    const { admin, at, read, deliveries } = await withWebhook();
    await admin.post(`${at}/enabled`, { enabled: 'false' });
    expect(await read()).toMatchObject({ disabled: { reason: 'byHand' } });
    const shown = await admin.get(at);
    expect(shown.text).toMatch(/disabled manually, since/);
    expect(shown.text).not.toContain('Send a test');
    const refused = await admin.post(`${at}/test`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Nothing was sent or changed');
    await admin.post(`${at}/enabled`, { enabled: 'true' });
    await admin.post(`${at}/enabled`, { enabled: 'true' });
    expect(await read()).toMatchObject({ disabled: null });
    expect(await deliveries()).toHaveLength(1);
  });

  test('A webhook is deleted after a confirmation', async () => {
    const { admin, at, page, listed } = await withWebhook();
    expect((await admin.get(`${at}/delete`)).text).toContain('Delete the webhook Chat?');
    expect(await listed()).toHaveLength(1);
    expect(place(await admin.post(`${at}/delete`))).toBe(page);
    expect(await listed()).toEqual([]);
    expect((await admin.post(`${at}/delete`)).status).toBe(404);
  });

  test('A webhook can be neither seen nor changed from another project or organization', async () => {
    const { admin, page, tenant, hookId } = await withWebhook();
    const other = await tenant('Other');
    const foreign = (await other.api.post(`/webhooks?projectId=${other.projectId}`, { url: URL })).body.data;
    const body = await fillIn(admin, page.replace(/[^/]+\/webhooks$/, 'projects/new'), { name: 'Second' });
    const second = `${place(body)?.replace(/\/(runs|settings)?$/, '')}/webhooks`;
    for (const at of [`${page}/${foreign.hookId}`, `${second}/${hookId}`, `${page}/unknown`]) {
      for (const part of ['', '/edit', '/secret', '/secret/delete', '/delete'])
        expect((await admin.get(at + part)).status, at + part).toBe(404);
      for (const part of ['/test', '/delete', '/secret/delete', '/deliveries/none/redeliver'])
        expect((await admin.post(at + part)).status, at + part).toBe(404);
      expect((await admin.post(`${at}/enabled`, { enabled: 'false' })).status).toBe(404);
      expect((await admin.post(`${at}/secret`, { formId: 'x' })).status).toBe(404);
      expect((await admin.post(`${at}/edit`, { url: URL })).status).toBe(404);
    }
    const kept = (await other.reader.get(`/webhooks/${foreign.hookId}`)).body.data;
    expect(kept).toMatchObject({ disabled: null, signed: false });
  });

  test('The page of webhooks is linked from the settings of the project only for Admins, and only Admins can open it', async () => {
    const here = await stage();
    const settings = here.page.replace('/webhooks', '/settings');
    expect((await here.admin.get(settings)).links).toContain(here.page);
    for (const role of ['actionsAdmin', 'member', 'guest'] as const) {
      const visitor = await signedIn(here, role);
      expect((await visitor.get(settings)).links).not.toContain(here.page);
      expect((await visitor.get(here.page)).status).toBe(403);
    }
  });
});
