/** Messages to Microsoft Teams and to other chats, for a run with hostile names. */
import { describe, expect, test } from 'vitest';
import { type ChannelKind, deriveNotificationId, notifications } from '#shared/model/events/notification.ts';
import { getNotificationDeliveriesSpan, notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { sendTestNotification } from '#shared/notifications/change-notification.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { receiver } from '#test/harness/receiver.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { runAtOnce, stage } from './stage.ts';

deliverEvents();

const TITLES = ['<at>Everyone</at> [x](https://evil.example)', '@channel @all', '`code` **bold**', '<b>&'];

async function toldTo(kind: ChannelKind, status = 202) {
  const here = await stage();
  const { url, received } = await receiver((response) => void response.writeHead(status).end());
  const settings = { kind, runs: 'failed', credential: `${url}/hook?sig=secret` } as const;
  await saveNotification(here.services, { ...here.request, settings });
  const key = { organizationId: here.organizationId, hookId: deriveNotificationId(here.projectId, kind) };
  const deliveries = () =>
    here.services.table.queryAll(notificationDeliveries, getNotificationDeliveriesSpan(key), { consistent: true });
  const settled = () =>
    expect.poll(async () => (await deliveries()).every(({ status }) => status !== 'pending')).toBe(true);
  const { runId } = await runAtOnce(
    here,
    'build',
    Object.fromEntries(TITLES.map((title) => [`a.spec.ts > ${title}`, failed()])),
  );
  await expect.poll(() => received.length).toBeGreaterThan(0);
  await settled();
  const bodies = () => received.map(({ body }) => JSON.parse(body));
  const runUrl = `${here.origin}/${here.organizationId}/${here.projectId}/runs/${runId}`;
  const notificationNow = () => here.services.table.get(notifications, key, { consistent: true });
  return { ...here, key, bodies, runUrl, deliveries, notificationNow };
}

/** All values of this key in a JSON value. */
const valuesOf = (value: unknown, key: string): unknown[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...valuesOf(inner, key)]);

describe('Microsoft Teams', () => {
  test('gets a card with the result, a link to the run and the failed tests, and names cannot add formatting, links or mentions', async () => {
    const { bodies, runUrl } = await toldTo('teams');
    const [body] = bodies();
    const [{ contentType, content }] = body.attachments;
    expect([body.type, contentType]).toEqual(['message', 'application/vnd.microsoft.card.adaptive']);
    const texts = valuesOf(content, 'text');
    expect(texts[0]).toMatch(/: 4 failed of 4$/);
    for (const title of TITLES) expect(texts).toContain(title);
    expect(
      valuesOf(content, 'url').every((url) => String(url).startsWith(runUrl.slice(0, runUrl.indexOf('/runs/')))),
    ).toBe(true);
    expect(valuesOf(content, 'url')).toContain(runUrl);
    // These elements show texts without interpreting them as Markdown. A mention works only if the card lists it under
    // `entities`.
    expect(new Set(valuesOf(content.body, 'type'))).toEqual(new Set(['RichTextBlock', 'TextRun', 'Action.OpenUrl']));
    expect(valuesOf(content, 'entities')).toEqual([]);
  });

  test('A 404 response of Microsoft Teams disables the notification, and the secret in the address appears in no error and no delivery', async () => {
    const { notificationNow, deliveries } = await toldTo('teams', 404);
    const { disabled } = (await notificationNow()) ?? {};
    expect(disabled?.problem).toContain('Microsoft Teams: no messages are accepted at this address (404)');
    expect(JSON.stringify([disabled, await deliveries()])).not.toContain('sig=secret');
  });
});

describe('Another chat', () => {
  test('A chat other than Slack and Teams gets a text without working mentions and formatting, and the same information as JSON properties', async () => {
    const { bodies, runUrl, projectId } = await toldTo('generic', 200);
    const [body] = bodies();
    expect(body.text).toContain(`: 4 failed of 4 ${runUrl}`);
    const outside = body.text.replaceAll(/`[^`\n]*`/g, '').replaceAll(runUrl, '');
    for (const sign of ['@', '<', '*', '[', '`']) expect(outside).not.toContain(sign);
    expect(body).toMatchObject({
      project: { id: projectId },
      run: { url: runUrl, ciBuildId: 'build' },
      testsTotal: 4,
    });
    expect(body.tests.map(({ title }: { readonly title: readonly string[] }) => title[0]).sort()).toEqual(
      [...TITLES].sort(),
    );
  });

  test('A chat other than Slack and Teams gets a test message on request', async () => {
    const { services, request, bodies } = await toldTo('generic', 200);
    await sendTestNotification(services, { ...request, place: 'generic' });
    await expect.poll(() => bodies().length).toBe(2);
    expect(bodies()[1]).toEqual({ text: expect.stringContaining('can reach this channel') });
  });
});
