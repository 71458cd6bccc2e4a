import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { addMember } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { member } from '#test/harness/people.ts';
import { startRun } from '#test/harness/recording.ts';
import { clock, service } from '#test/harness/service.ts';
import { cookieOf, type Shown, signIn, type Visitor, visitor } from '#test/harness/visitor.ts';
import { SUITE } from '#test/recording/operations.ts';

const { codeMilliseconds, codeTries, freshMilliseconds } = SIGN_IN_LIMITS;

const locationOf = ({ headers }: Shown) => headers.get('location') ?? '';
const codeIn = ({ html }: Shown): string => />([2-9B-Z]{4}-[2-9B-Z]{4})</.exec(html)?.[1] ?? '';

/** A person with one stale and one fresh browser, and an Admin with a fresh one. */
async function stage(role: Role = 'member') {
  const here = await service();
  const account = await member(here, role);
  const stale = await signIn(here, account);
  const organizer = await member(here, 'admin');
  clock.advance(freshMilliseconds + 60_000);
  const fresh = await signIn(here, account);
  const admin = await signIn(here, organizer);
  const link = async (email = account.email) =>
    (await createSignInLink(here.services, { actor: OPERATOR, email })).secret;
  const codeFor = (one: Pick<Account, 'accountId'>) =>
    admin.post(`/${here.organizationId}/settings/members`, { accountId: one.accountId });
  const isConfirmed = async (by: Visitor) => (await by.get('/account/tokens/new')).status === 200;
  return { ...here, account, organizer, stale, fresh, admin, link, codeFor, isConfirmed };
}

/** The same browser after an answer that renewed its session. */
const afterwards = (origin: string, answer: Shown): Visitor => visitor(origin, cookieOf(answer));

describe('The confirmation page', () => {
  test('names the action that waits, and the Admins who can create a code', async () => {
    const { stale, organizer, account } = await stage();
    const asked = await stale.get(locationOf(await stale.get('/account/tokens/new')));
    expect(asked.text).toContain('create a personal access token');
    expect(asked.text).toContain(`${organizer.name} (${organizer.email})`);
    expect(asked.text).not.toContain(`Admin: ${account.name}`);
  });

  test('"Not now" leads to the page that the person came from, also after a wrong code, and never to another origin or to itself', async () => {
    const { origin, organizationId, stale } = await stage();
    const came = `/${organizationId}/settings/members?page=2`;
    const backOf = async (referer?: string) => {
      const { html } = await stale.get('/sign-in/confirm?action=showNewToken', referer ? { referer } : {});
      return /href="([^"]*)">Not now/.exec(html)?.[1];
    };
    expect(await backOf(origin + came)).toBe(came);
    for (const referer of ['https://evil.example/a', `${origin}//evil.example`, `${origin}/sign-in/confirm`, 'x'])
      expect(await backOf(referer), referer).toBe('/');
    expect(await backOf()).toBe('/');
    const again = async (back: string) => (await stale.post('/sign-in/confirm', { code: 'BBBB-BBBB', back })).html;
    expect(await again(came)).toContain(`href="${came}">Not now`);
    expect(await again('//evil.example')).toContain('href="/">Not now');
  });

  test.each(['__proto__', 'constructor', 'unknown', '<script>'])(
    'names no action if the link that led there says %s',
    async (action) => {
      const { stale } = await stage();
      const shown = await stale.get(`/sign-in/confirm?${new URLSearchParams({ action })}`);
      expect([shown.status, shown.text.includes('To open the page that you asked for')]).toEqual([200, true]);
    },
  );

  test('A wrong code is refused with a message beside the field, and the page still names the action', async () => {
    const { stale } = await stage();
    const refused = await stale.post('/sign-in/confirm', { code: 'BBBB-BBBB', action: 'showNewToken' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('This code does not work');
    expect(refused.text).toContain('create a personal access token');
  });

  test('A new sign-in link of the same person confirms, also if the whole link is pasted, and only once', async () => {
    const { stale, link, origin, isConfirmed } = await stage();
    const code = `${origin}/sign-in/link#${await link()}`;
    const answer = await stale.post('/sign-in/confirm', { code });
    expect(answer.status).toBe(303);
    expect(await isConfirmed(afterwards(origin, answer))).toBe(true);
    expect((await afterwards(origin, answer).post('/sign-in/confirm', { code })).status).toBe(404);
  });

  test('The sign-in link of another person confirms nothing, and stays usable for that person', async () => {
    const { stale, link, organizer, origin, isConfirmed } = await stage();
    const code = await link(organizer.email);
    const answer = await stale.post('/sign-in/confirm', { code });
    expect([answer.status, answer.headers.getSetCookie(), await isConfirmed(stale)]).toEqual([404, [], false]);
    expect((await visitor(origin).post('/sign-in/link', { code })).status).toBe(303);
  });
});

describe('A confirmation code', () => {
  test('A person who signed in with a link eleven minutes ago and has no passkey confirms with a code from another browser, and the earlier cookie stops working', async () => {
    const { stale, fresh, origin, isConfirmed } = await stage();
    expect(await isConfirmed(stale)).toBe(false);
    const code = codeIn(await fresh.post('/account'));
    const answer = await stale.post('/sign-in/confirm', { code: ` ${code.replace('-', '').toLowerCase()} ` });
    expect(answer.status).toBe(303);
    expect(await isConfirmed(afterwards(origin, answer))).toBe(true);
    expect((await stale.get('/account')).status).toBe(303);
  });

  test('A person without a passkey who signed in with a link eleven minutes ago shares a result after confirming with a code', async () => {
    const { stale, fresh, origin, ...here } = await stage();
    const { runId } = await startRun(here, SUITE, { ciBuildId: 'build-1' });
    const asked = await stale.get(`/${here.organizationId}/${here.projectId}/shares/new?runId=${runId}`);
    const confirming = await stale.get(locationOf(asked));
    expect(confirming.text).toContain('share a result');
    const browser = visitor(origin, `${stale.cookie}; ${cookieOf(confirming)}`);
    const confirmed = await browser.post('/sign-in/confirm', { code: codeIn(await fresh.post('/account')) });
    const form = await afterwards(origin, confirmed).get(locationOf(confirmed));
    expect(form.text).toContain('Anyone with the link can see');
    const formId = /name="formId" value="([^"]+)"/.exec(form.html)?.[1] ?? '';
    const fields = { formId, runId, expiresInDays: '7', purpose: 'report' };
    const shared = await afterwards(origin, confirmed).post(
      `/${here.organizationId}/${here.projectId}/shares/new`,
      fields,
    );
    expect(shared.text).toMatch(/\/shared#rdn_/);
  });

  test('A person confirms with a code from an Admin, and the audit log says who created it', async () => {
    const { stale, account, organizer, codeFor, origin, isConfirmed, ...here } = await stage();
    const answer = await stale.post('/sign-in/confirm', { code: codeIn(await codeFor(account)) });
    expect(await isConfirmed(afterwards(origin, answer))).toBe(true);
    const { records } = await readAudit(here.services, { ...here, actor: OPERATOR });
    expect(records).toContainEqual(
      expect.objectContaining({
        action: 'confirmation code created',
        subject: account.accountId,
        actor: expect.stringContaining(organizer.accountId),
        detail: 'by an Admin',
      }),
    );
  });

  test('signs nobody in, and confirms nobody but its person', async () => {
    const { admin, account, codeFor, origin, isConfirmed } = await stage();
    const code = codeIn(await codeFor(account));
    clock.advance(freshMilliseconds - 1);
    expect((await visitor(origin).post('/sign-in/link', { code })).status).toBe(404);
    expect((await visitor(origin).post('/sign-in/confirm', { code })).status).toBe(303);
    expect((await admin.post('/sign-in/confirm', { code })).status).toBe(400);
    expect(await isConfirmed(admin)).toBe(false);
  });

  test('A stale session creates no code, neither for itself nor for others', async () => {
    const { stale, admin, account, codeFor } = await stage('admin');
    const own = await stale.post('/account');
    expect([own.status, codeIn(own)]).toEqual([303, '']);
    clock.advance(freshMilliseconds + 1);
    const others = await codeFor(account);
    expect([others.status, codeIn(others), locationOf(others)]).toEqual([
      303,
      '',
      expect.stringMatching(/^\/sign-in\/confirm/),
    ]);
    expect(admin).toBeDefined();
  });

  test('A used, replaced or expired code gets the same answer as a wrong one', async () => {
    const { stale, fresh, origin } = await stage();
    const create = async () => codeIn(await fresh.post('/account'));
    const replaced = await create();
    const code = await create();
    const used = await stale.post('/sign-in/confirm', { code });
    const browser = afterwards(origin, used);
    const answers = [await browser.post('/sign-in/confirm', { code: replaced })];
    answers.push(await browser.post('/sign-in/confirm', { code }));
    const expired = await create();
    clock.advance(codeMilliseconds + 1000);
    answers.push(await browser.post('/sign-in/confirm', { code: expired }));
    answers.push(await browser.post('/sign-in/confirm', { code: 'x' }));
    answers.push(await browser.post('/sign-in/confirm', {}));
    const seen = answers.map(({ status, html }) => `${status} ${html.replaceAll(/<[^>]* value="[^"]*"/g, '')}`);
    expect(used.status).toBe(303);
    expect(answers[0]?.status).toBe(400);
    expect(new Set(seen).size).toBe(1);
  });

  test('After five wrong codes, the right one is refused, also if they are sent at the same time', async () => {
    const { stale, fresh } = await stage();
    const code = codeIn(await fresh.post('/account'));
    const wrong = Array.from({ length: codeTries }, () => stale.post('/sign-in/confirm', { code: 'ZZZZ-ZZZZ' }));
    await Promise.all(wrong);
    expect((await stale.post('/sign-in/confirm', { code })).status).toBe(400);
  });

  test('Of several browsers that send the same code at the same time, one is confirmed', async () => {
    const { fresh, account, isConfirmed, ...here } = await stage();
    const browsers: Visitor[] = [];
    for (let count = 0; count < codeTries; count += 1) browsers.push(await signIn(here, account));
    clock.advance(freshMilliseconds - 1000);
    const code = codeIn(await fresh.post('/account'));
    clock.advance(2000);
    const answers = await Promise.all(browsers.map((browser) => browser.post('/sign-in/confirm', { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400]);
    const renewed = answers.map((answer) => afterwards(here.origin, answer));
    const confirmed = await Promise.all([...browsers, ...renewed].map(isConfirmed));
    expect(confirmed.filter(Boolean)).toHaveLength(1);
  });

  test('An Admin creates no code for somebody who also belongs to an organization that the Admin does not administer', async () => {
    const { account, organizer, codeFor, tenant, ...here } = await stage();
    const other = await tenant('Other');
    await addMember(here.services, { ...other, accountId: account.accountId, role: 'member', actor: OPERATOR });
    const refused = await codeFor(account);
    expect([refused.status, codeIn(refused)]).toEqual([409, '']);
    await addMember(here.services, { ...other, accountId: organizer.accountId, role: 'admin', actor: OPERATOR });
    expect(codeIn(await codeFor(account))).not.toBe('');
  });

  test('An Admin creates no code for a person of another organization', async () => {
    const { codeFor, tenant, ...here } = await stage();
    const stranger = await member({ ...here, tenant, ...(await tenant('Other')) }, 'member');
    expect((await codeFor(stranger)).status).toBe(404);
  });
});

describe('A person who came by a link', () => {
  test('A person without a passkey is first asked to add one, and "Not now" leads to the page that they asked for', async () => {
    const { origin, organizationId, link } = await stage();
    const path = `/${organizationId}/settings/members`;
    const signInPage = await visitor(origin).get(locationOf(await visitor(origin).get(path)));
    const returning = signInPage.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const answer = await visitor(origin, returning).post('/sign-in/link', { code: await link() });
    expect(locationOf(answer)).toBe(`/account/passkeys/new?return_to=${encodeURIComponent(path)}`);
    const shown = await afterwards(origin, answer).get(locationOf(answer));
    expect(shown.links).toContain(path);
  });

  test('The offer to add a passkey leads to no other site', async () => {
    const { fresh } = await stage();
    const shown = await fresh.get(`/account/passkeys/new?${new URLSearchParams({ return_to: '//evil.example/' })}`);
    expect(shown.links.filter((href) => href.includes('evil'))).toEqual([]);
    expect(shown.html).toContain('name="return_to" value="/"');
  });
});
