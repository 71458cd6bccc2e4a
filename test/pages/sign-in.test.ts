import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { sanitizeReturnPath } from '#shared/sign-in/return-path.ts';
import { attack } from '#test/harness/attacks.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { cookieOf, signedIn, signIn, visitor } from '#test/harness/visitor.ts';

async function stage() {
  const here = await service();
  const account = await member(here, 'admin');
  const link = async (minutes?: number) =>
    (await createSignInLink(here.services, { actor: OPERATOR, email: account.email, minutes })).secret;
  return { ...here, account, link, stranger: visitor(here.origin) };
}

describe('A sign-in link', () => {
  test('signs the person in only once', async () => {
    const { stranger, link, origin } = await stage();
    const code = await link();
    const first = await stranger.post('/sign-in/link', { code });
    expect([first.status, first.headers.get('location')]).toEqual([303, '/account/passkeys/new?return_to=%2F']);
    expect((await visitor(origin, cookieOf(first)).get('/account')).text).toContain('Alex Doe');
    const second = await stranger.post('/sign-in/link', { code });
    expect(second.status).toBe(404);
    expect(second.text).toContain('This sign-in link does not work');
    expect(second.headers.getSetCookie()).toEqual([]);
  });

  test('leads to the other ways to sign in after it was refused, and keeps the command of the operator folded', async () => {
    const { stranger, link } = await stage();
    const code = await link();
    await stranger.post('/sign-in/link', { code });
    expect((await stranger.post('/sign-in/link', { code })).links).toEqual(
      expect.arrayContaining(['/sign-in', '/sign-in/company']),
    );
    const { html, links } = await stranger.get('/sign-in');
    expect(links).not.toContain('/sign-in');
    expect(html).toMatch(/<summary>For operators<\/summary>.*?accounts link --email.*?<\/details>/s);
  });

  test('works for only one of ten parallel sign-in requests', async () => {
    const { stranger, link } = await stage();
    const code = await link();
    const answers = await Promise.all(Array.from({ length: 10 }, () => stranger.post('/sign-in/link', { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 9 }, () => 404)]);
  });

  test('stays usable after several GET requests, such as those of link scanners', async () => {
    const { stranger, link } = await stage();
    const code = await link();
    const seen = await Promise.all(Array.from({ length: 5 }, () => stranger.get('/sign-in/link')));
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await stranger.post('/sign-in/link', { code })).status).toBe(303);
  });

  test('does not work after it has expired or after a newer link was created', async () => {
    const { stranger, link } = await stage();
    const expired = await link(1);
    clock.advance(61_000);
    expect((await stranger.post('/sign-in/link', { code: expired })).status).toBe(404);
    const voided = await link();
    await link();
    expect((await stranger.post('/sign-in/link', { code: voided })).status).toBe(404);
  });

  test('All unusable sign-in links get the same answer', async () => {
    const { stranger, link } = await stage();
    const used = await link();
    await stranger.post('/sign-in/link', { code: used });
    const codes = [used, '', 'x', `${used}x`, used.replace('rdn_lnk', 'rdn_ses'), used.slice(0, -1)];
    const answers = await Promise.all(codes.map((code) => stranger.post('/sign-in/link', { code })));
    const bodies = answers.map(({ status, html }) => `${status} ${html.replaceAll(/value="[^"]*"/g, '')}`);
    expect(new Set(bodies).size).toBe(1);
  });

  test('Creating a sign-in link adds an audit record to the organization of the person', async () => {
    const { services, organizationId, link, account } = await stage();
    await link();
    const { records } = await readAudit(services, { organizationId, actor: OPERATOR });
    const record = { action: 'sign-in link created', subject: account.accountId, actor: 'operator' };
    expect(records).toContainEqual(expect.objectContaining(record));
  });
});

describe('A session', () => {
  test('ends when the person signs out, and its cookie is refused afterwards', async () => {
    const here = await stage();
    const person = await signedIn(here, 'member');
    const answer = await person.post('/sign-out');
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"');
    expect((await person.get('/account')).status).toBe(303);
  });

  test('ends after twelve hours without activity, and after seven days in any case', async () => {
    const here = await stage();
    const idle = await signedIn(here, 'member');
    clock.advance(SIGN_IN_LIMITS.idleMilliseconds + 1000);
    expect((await idle.get('/account')).status).toBe(303);
    const busy = await signedIn(here, 'member');
    for (let hours = 0; hours < 7 * 24; hours += 8) {
      expect((await busy.get('/account')).status).toBe(200);
      clock.advance(8 * 60 * 60 * 1000);
    }
    expect((await busy.get('/account')).status).toBe(303);
  });

  test('A session that has ended because it was idle is not listed on the account page', async () => {
    const here = await stage();
    await signIn(here, here.account);
    clock.advance(SIGN_IN_LIMITS.idleMilliseconds - 60_000);
    const current = await signIn(here, here.account);
    const listed = async () => (await current.get('/account')).html.match(/name="sessionId"/g)?.length ?? 0;
    expect(await listed()).toBe(1);
    clock.advance(120_000);
    expect(await listed()).toBe(0);
  });

  test('A forged or duplicate session cookie is rejected', async () => {
    const here = await stage();
    const { cookie } = await signedIn(here, 'member');
    const longer = cookie.replace('.', 'x.');
    const planted = ['__Host-rundown-session=planted', longer, `${cookie}; ${cookie}`, cookie.toLowerCase()];
    attack('sessions', planted.length);
    for (const value of planted) {
      expect((await visitor(here.origin, value).get('/account')).status, value).toBe(303);
      expect((await visitor(here.origin, value).get('/')).headers.getSetCookie()).toEqual([]);
    }
  });

  test('can be ended from another browser, either alone or together with all other sessions', async () => {
    const here = await stage();
    const first = await signIn(here, here.account);
    const second = await signIn(here, here.account);
    const third = await signIn(here, here.account);
    const [sessionId = ''] =
      /name="sessionId" value="([^"]+)"/.exec((await first.get('/account')).html)?.slice(1) ?? [];
    await first.post('/account/end-session', { sessionId });
    const left = await Promise.all([second, third].map(async (one) => (await one.get('/account')).status));
    expect(left.sort()).toEqual([200, 303]);
    await first.post('/account/end-other-sessions');
    for (const one of [second, third]) expect((await one.get('/account')).status).toBe(303);
    expect((await first.get('/account')).status).toBe(200);
  });

  test('gives no access to API operations', async () => {
    const here = await stage();
    const { cookie } = await signedIn(here, 'admin');
    const answer = await fetch(`${here.baseUrl}/projects`, { headers: { cookie } });
    expect(answer.status).toBe(401);
  });
});

describe('The page to return to after signing in', () => {
  const origin = 'https://rundown.example.com';

  test.each(['/a', '/a/b?c=d', '/?x=%2F%2Fevil.example', '/a#b'])('may be the path %s', (path) => {
    expect(sanitizeReturnPath(path, origin)).toBe(path);
  });

  const HOSTS = ['evil.example', 'evil.example:443', 'user@evil.example', 'rundown.example.com.evil.example'];
  const STARTS = [
    '//',
    '/\\',
    '\\\\',
    'https://',
    'http://',
    'https:',
    '/\t/',
    '/\n/',
    '\t//',
    ' //',
    '/\r/',
    'javascript://',
  ];
  const outside = [...STARTS.flatMap((start) => HOSTS.map((host) => start + host)), '', 'a', '.', 'data:text/html,x'];
  const more = [
    '/é',
    `/${'a'.repeat(SIGN_IN_LIMITS.returnPathCharacters)}`,
    '/a b',
    '/\u2028',
    '/\0',
    '/a\\b',
    '/.//evil.example',
    '/..//evil.example',
  ];

  test(`is the home page if the requested path could lead to another site, is too long or has special characters`, () => {
    expect(outside.length + more.length).toBeGreaterThanOrEqual(60);
    attack('return addresses', outside.length + more.length);
    for (const path of [...outside, ...more]) expect([path, sanitizeReturnPath(path, origin)]).toEqual([path, '/']);
  });
});
