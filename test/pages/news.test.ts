import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { member } from '#test/harness/people.ts';
import { receiver } from '#test/harness/receiver.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Shown, signedIn, signIn } from '#test/harness/visitor.ts';
import { stage as webhookStage } from '../webhooks/stage.ts';

async function stage() {
  const here = await service();
  const { organizationId } = here;
  const by = { organizationId, actor: OPERATOR };
  const overview = `/${organizationId}`;
  const page = `/${organizationId}/settings/news`;
  const makeKey = (label: string) => createApiKey(here.services, { ...by, label, level: 'readOnly' });
  return { ...here, by, overview, page, makeKey, admin: await signIn(here, await member(here, 'admin')) };
}

/** The number beside the link to the news, or 0 if there is none. */
const unseenIn = ({ html }: Shown): string => /<span class="unseen">(\d+\+?)/.exec(html)?.[1] ?? '0';
const markedIn = ({ html }: Shown): number => html.split('<span class="badge">new</span>').length - 1;

describe('News for Admins', () => {
  test('counts keys that were created or deleted until each Admin has opened it, and marks what is new to them', async () => {
    const here = await stage();
    const second = await signedIn(here, 'admin');
    await here.admin.get(here.page);
    const { keyId } = await here.makeKey('CI of the shop');
    clock.advance(1000);
    await deleteApiKey(here.services, { ...here.by, keyId });
    expect(unseenIn(await here.admin.get(here.overview))).toBe('2');
    const shown = await here.admin.get(here.page);
    expect(shown.text).toMatch(/API key deleted.*CI of the shop.*API key created.*CI of the shop/);
    expect(markedIn(shown)).toBe(2);
    expect(unseenIn(await here.admin.get(here.overview))).toBe('0');
    expect(markedIn(await here.admin.get(here.page))).toBe(0);
    expect(unseenIn(await second.get(here.overview))).not.toBe('0');
    await here.makeKey('Nightly');
    expect(unseenIn(await here.admin.get(here.overview))).toBe('1');
  });

  test('contains no other change, and nothing of another organization', async () => {
    const here = await stage();
    const other = await stage();
    await here.admin.get(here.page);
    await inviteMember(here.services, { ...here.by, email: 'new@example.com', role: 'guest' });
    await other.makeKey('Of another organization');
    const shown = await here.admin.get(here.page);
    expect([unseenIn(shown), markedIn(shown)]).toEqual(['0', 0]);
    expect(shown.text).not.toContain('Of another organization');
    expect(shown.text).not.toContain('new@example.com');
  });

  test('is for Admins only: other roles see neither the number nor the page', async () => {
    const here = await stage();
    await here.makeKey('CI');
    for (const role of ['actionsAdmin', 'member', 'guest'] as const) {
      const visitor = await signedIn(here, role);
      expect(unseenIn(await visitor.get(here.overview))).toBe('0');
      expect((await visitor.get(here.page)).status).toBe(403);
    }
  });

  test('counts each of several changes that are made at the same time', async () => {
    const here = await stage();
    await here.admin.get(here.page);
    const before = Number(unseenIn(await here.admin.get(here.overview)));
    await Promise.all(['a', 'b', 'c', 'd'].map(here.makeKey));
    await Promise.all([here.admin.get(here.page), here.makeKey('e')]);
    const shown = await here.admin.get(here.page);
    expect(before).toBe(0);
    expect([0, 1]).toContain(markedIn(shown));
    expect(unseenIn(await here.admin.get(here.overview))).toBe('0');
  });

  test('finds an older entry behind many other changes', async () => {
    const here = await stage();
    await here.makeKey('Old key');
    for (let number = 0; number < 101; number += 1)
      await inviteMember(here.services, { ...here.by, email: `${number}@example.com`, role: 'guest' });
    expect((await here.admin.get(here.page)).text).toContain('Old key');
  });
});

describe('A webhook that the service disables', () => {
  test('leaves one audit record, which is news and says why, even if several deliveries fail at once', async () => {
    const here = await webhookStage();
    const { url } = await receiver((response) => response.writeHead(410).end());
    const webhook = await here.webhook({ url, label: 'Chat of the team' });
    const deliveries = [await here.delivery(webhook), await here.delivery(webhook), await here.delivery(webhook)];
    await Promise.all(deliveries.map((delivery) => here.attempt(delivery)));
    const { records } = await readAudit(here.services, { organizationId: here.organizationId, actor: OPERATOR });
    const failures = records.filter(({ action }) => action === 'webhook failed');
    expect(failures).toMatchObject([
      { actor: 'delivery', subject: webhook.hookId, label: 'Chat of the team', detail: expect.stringContaining('410') },
    ]);
  });
});
