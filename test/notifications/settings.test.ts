/** The settings of notifications: who may change them, what is refused, and that credentials stay secret. */
import { describe, expect, test } from 'vitest';
import { makePerson } from '#shared/access/actor.ts';
import { readCredential } from '#shared/model/credential.ts';
import type { Notification } from '#shared/model/events/notification.ts';
import {
  deleteNotification,
  disableNotification,
  enableNotification,
  sendTestNotification,
} from '#shared/notifications/change-notification.ts';
import { checkNotificationSettings } from '#shared/notifications/check-settings.ts';
import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { TOKEN } from '#test/harness/code-host.ts';
import { member } from '#test/harness/people.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { hostSettings, type Stage, stage } from './stage.ts';

deliverEvents();

const ofGithub = (here: Stage) => ({ ...here.request, place: 'github' as const });
const secretOf = (here: Stage, notification: Notification | undefined) =>
  notification && readCredential(here.services.secrets, notification);

describe('A notification', () => {
  test('The credential of a notification is in no row of the table, no audit record and no response', async () => {
    const here = await stage();
    const saved = await here.save();
    await disableNotification(here.services, ofGithub(here));
    await enableNotification(here.services, ofGithub(here));
    await sendTestNotification(here.services, ofGithub(here));
    const listed = await listNotifications(here.services, here.request);
    const { records: audit } = await readAudit(here.services, here.request);
    const rows = await linesOfOrganization(here);
    expect(await secretOf(here, saved)).toBe(TOKEN);
    for (const shown of [saved, listed, audit, rows]) expect(JSON.stringify(shown)).not.toContain(TOKEN.slice(0, 24));
    const actions = audit.map(({ action }) => action).filter((action) => action.startsWith('notification'));
    expect(actions.sort()).toEqual([
      'notification created',
      'notification disabled',
      'notification enabled',
      'notification tested',
    ]);
  });

  test('keeps its credential until a new credential replaces it, and the old credential is then removed', async () => {
    const here = await stage();
    const first = await here.save();
    clock.advance(1);
    const second = await here.save({ credential: undefined, comments: false });
    expect(second.secretName).toBe(first.secretName);
    const third = await here.save({ credential: 'ghs_another' });
    expect([await secretOf(here, first), await secretOf(here, third)]).toEqual([undefined, 'ghs_another']);
    await deleteNotification(here.services, ofGithub(here));
    expect([await here.notificationNow(), await secretOf(here, third)]).toEqual([undefined, undefined]);
  });

  test('has a working credential after concurrent requests have saved it', async () => {
    const here = await stage();
    const saved = await Promise.allSettled(Array.from({ length: 6 }, () => here.save()));
    const stored = await here.notificationNow();
    expect(saved.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await secretOf(here, stored)).toBe(TOKEN);
  });

  test('of another organization can be neither read nor changed: each request gets the same 404 as for an unknown project', async () => {
    const here = await stage();
    await here.save();
    const stranger = await here.tenant('Stranger');
    const asStranger = { ...here.request, organizationId: stranger.organizationId };
    const settings = hostSettings(here.kind, here.host.url);
    for (const act of [
      () => listNotifications(here.services, asStranger),
      () => saveNotification(here.services, { ...asStranger, settings }),
      () => sendTestNotification(here.services, { ...asStranger, place: 'github' }),
      () => deleteNotification(here.services, { ...asStranger, place: 'github' }),
    ])
      await expect(act()).rejects.toMatchObject({ statusCode: 404, message: 'Project not found' });
    expect(await secretOf(here, await here.notificationNow())).toBe(TOKEN);
  });

  test.each(['guest', 'member', 'actionsAdmin'] as const)(
    'A person with the role %s can neither list nor save notifications',
    async (role) => {
      const here = await stage();
      const actor = makePerson(await member(here, role));
      const asMember = { ...here.request, actor };
      await expect(listNotifications(here.services, asMember)).rejects.toMatchObject({ statusCode: 403 });
      const settings = hostSettings(here.kind, here.host.url);
      await expect(saveNotification(here.services, { ...asMember, settings })).rejects.toMatchObject({
        statusCode: 403,
      });
      expect(await here.notificationNow()).toBeUndefined();
    },
  );
});

describe('Invalid settings of a notification', () => {
  test.each([
    [{ repository: 'shop' }, /owner and name/],
    [{ repository: 'acme/../admin' }, /owner and name/],
    [{ repository: 'acme/..' }, /owner and name/],
    [{ repository: 'acme/shop/issues' }, /owner and name/],
    [{ sendsStatus: false, comments: false }, /never send anything/],
    [{ credential: 'token\nX-Header: 1' }, /without spaces/],
    [{ credential: undefined }, /no credential yet/],
    [{ apiUrl: 'https://user:pw@github.example.com' }, /user name or password/],
    [{ apiUrl: 'http://169.254.169.254/latest' }, /169\.254\.169\.254/],
    [{ apiUrl: 'https://github.example.com?x=1' }, /query/],
    [{ apiUrl: 'ftp://github.example.com' }, /https/],
  ])('are refused: %j', async (more, problem) => {
    const here = await stage();
    await expect(here.save(more)).rejects.toMatchObject({ statusCode: 400, message: expect.stringMatching(problem) });
    expect(await here.notificationNow()).toBeUndefined();
  });
});

describe('The project of a notification to GitLab', () => {
  const checked = (repository: string) =>
    checkNotificationSettings(hostSettings('gitlab', 'https://gitlab.example.com/api/v4', { repository }), {
      privateReceivers: 'none',
    });

  test.each(['acme/shop', 'acme/web.team/sub_group/shop-2', '4711'])(
    'A notification to the GitLab project %s is accepted',
    (repository) => {
      expect(checked(repository)).toMatchObject({ repository });
    },
  );

  test.each([
    'shop',
    '0',
    '-1',
    'acme/../admin',
    'acme//shop',
    '/acme/shop',
    'acme/shop?x',
    'acme%2Fshop',
    'acme/shop/-/issues',
  ])('A notification to the GitLab project %s is refused', (repository) => {
    expect(() => checked(repository)).toThrow('The project is invalid. Enter its path or id');
  });

  test('A token for GitLab must be entered again for another project or another API address', async () => {
    const here = await stage('gitlab');
    await here.save();
    const kept = { credential: undefined };
    await expect(here.save({ ...kept, repository: 'acme/web/pay' })).rejects.toThrow(/with the project for which/);
    await expect(here.save({ ...kept, apiUrl: `${here.host.url}/x` })).rejects.toThrow(
      /with the API address for which/,
    );
    expect(await here.save({ ...kept, repository: 'ACME/web/shop' })).toMatchObject({ repository: 'ACME/web/shop' });
  });
});
