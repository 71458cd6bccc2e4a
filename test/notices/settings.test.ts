/** The settings of notices: who may change them, what is refused, and that credentials stay secret. */
import { describe, expect, test } from 'vitest';
import { person } from '#shared/access/actor.ts';
import type { Notice } from '#shared/model/notice.ts';
import { deleteNotice, disableNotice, enableNotice, testNotice } from '#shared/notices/change-notice.ts';
import { listNotices } from '#shared/notices/find-notices.ts';
import { saveNotice } from '#shared/notices/save-notice.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { TOKEN } from '#test/harness/github.ts';
import { member } from '#test/harness/people.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { githubSettings, type Stage, stage } from './stage.ts';

deliverEvents();

const ofGithub = (here: Stage) => ({ ...here.request, kind: 'github' as const });
const secretOf = (here: Stage, notice: Notice | undefined) => here.services.secrets.get(notice?.secretName ?? '');

describe('A notification', () => {
  test('keeps its credential out of the table, the audit log and every response', async () => {
    const here = await stage();
    const saved = await here.save();
    await disableNotice(here.services, ofGithub(here));
    await enableNotice(here.services, ofGithub(here));
    await testNotice(here.services, ofGithub(here));
    const listed = await listNotices(here.services, here.request);
    const { records: audit } = await readAudit(here.services, here.request);
    const rows = await linesOfOrganization(here);
    expect(await secretOf(here, saved)).toBe(TOKEN);
    for (const shown of [saved, listed, audit, rows]) expect(JSON.stringify(shown)).not.toContain(TOKEN.slice(0, 24));
    const actions = audit.map(({ action }) => action).filter((action) => action.startsWith('notice'));
    expect(actions.sort()).toEqual(['notice created', 'notice disabled', 'notice enabled', 'notice tested']);
  });

  test('keeps its credential until a new one replaces it, and then removes the old one', async () => {
    const here = await stage();
    const first = await here.save();
    clock.advance(1);
    const second = await here.save({ credential: undefined, comments: false });
    expect(second.secretName).toBe(first.secretName);
    const third = await here.save({ credential: 'ghs_another' });
    expect([await secretOf(here, first), await secretOf(here, third)]).toEqual([undefined, 'ghs_another']);
    await deleteNotice(here.services, ofGithub(here));
    expect([await here.noticeNow(), await secretOf(here, third)]).toEqual([undefined, undefined]);
  });

  test('gets one credential and one row from concurrent requests', async () => {
    const here = await stage();
    const saved = await Promise.allSettled(Array.from({ length: 6 }, () => here.save()));
    const stored = await here.noticeNow();
    expect(saved.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await secretOf(here, stored)).toBe(TOKEN);
  });

  test('A notification of another organization can be neither read nor changed, and looks like an unknown one', async () => {
    const here = await stage();
    await here.save();
    const stranger = await here.tenant('Stranger');
    const asStranger = { ...here.request, organizationId: stranger.organizationId };
    const settings = githubSettings(here.github.url);
    for (const act of [
      () => listNotices(here.services, asStranger),
      () => saveNotice(here.services, { ...asStranger, settings }),
      () => testNotice(here.services, { ...asStranger, kind: 'github' }),
      () => deleteNotice(here.services, { ...asStranger, kind: 'github' }),
    ])
      await expect(act()).rejects.toMatchObject({ statusCode: 404, message: 'Project not found' });
    expect(await secretOf(here, await here.noticeNow())).toBe(TOKEN);
  });

  test.each(['guest', 'member', 'actionsAdmin'] as const)('is inaccessible to a %s', async (role) => {
    const here = await stage();
    const actor = person(await member(here, role));
    const asMember = { ...here.request, actor };
    await expect(listNotices(here.services, asMember)).rejects.toMatchObject({ statusCode: 403 });
    const settings = githubSettings(here.github.url);
    await expect(saveNotice(here.services, { ...asMember, settings })).rejects.toMatchObject({ statusCode: 403 });
    expect(await here.noticeNow()).toBeUndefined();
  });
});

describe('Invalid settings of a notification', () => {
  test.each([
    [{ repository: 'shop' }, /owner and name/],
    [{ repository: 'acme/../admin' }, /owner and name/],
    [{ repository: 'acme/..' }, /owner and name/],
    [{ repository: 'acme/shop/issues' }, /owner and name/],
    [{ sendsStatus: false, comments: false }, /never tell anything/],
    [{ credential: 'token\nX-Header: 1' }, /without spaces/],
    [{ credential: undefined }, /no credential yet/],
    [{ apiUrl: 'https://user:pw@github.example.com' }, /user name or password/],
    [{ apiUrl: 'http://169.254.169.254/latest' }, /169\.254\.169\.254/],
    [{ apiUrl: 'https://github.example.com?x=1' }, /query/],
    [{ apiUrl: 'ftp://github.example.com' }, /https/],
  ])('are refused: %j', async (more, problem) => {
    const here = await stage();
    await expect(here.save(more)).rejects.toMatchObject({ statusCode: 400, message: expect.stringMatching(problem) });
    expect(await here.noticeNow()).toBeUndefined();
  });
});

test('A disabled notification sends no test message', async () => {
  const here = await stage();
  await here.save();
  await disableNotice(here.services, ofGithub(here));
  await expect(testNotice(here.services, ofGithub(here))).rejects.toMatchObject({ statusCode: 409 });
});
