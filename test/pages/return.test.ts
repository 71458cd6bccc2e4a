import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { linkToAddPasskey } from '#shared/pages/shell/hrefs.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { listSessions } from '#shared/sign-in/sessions.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { cookieOf, type Shown, signIn, visitor } from '#test/harness/visitor.ts';

async function stage() {
  const here = await service();
  const account = await member(here, 'admin');
  const link = async (email = account.email) =>
    (await createSignInLink(here.services, { actor: OPERATOR, email })).secret;
  return { ...here, account, link, stranger: visitor(here.origin) };
}

const locationOf = ({ headers }: Shown) => headers.get('location');
const cookiesOf = ({ headers }: Shown) =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

describe('Signing in by link', () => {
  test('redirects to the page that the person requested, with its query', async () => {
    const { stranger, link, origin, organizationId } = await stage();
    const path = `/${organizationId}/settings/members?page=0`;
    const signInPage = await stranger.get(locationOf(await stranger.get(path)) ?? '');
    expect(signInPage.headers.get('cache-control')).toBe('no-store');
    // The link opens in another tab. The URL of that tab does not contain the page to return to, but a cookie does.
    const answer = await visitor(origin, cookiesOf(signInPage)).post('/sign-in/link', { code: await link() });
    expect([answer.status, locationOf(answer)]).toEqual([303, linkToAddPasskey({ base: '' }, path)]);
    expect(answer.headers.getSetCookie()[1]).toMatch(/^__Host-rundown-return=;.*Max-Age=0/);
  });

  test('redirects to the list of projects, which links to the form for a passkey, if the person requested no page', async () => {
    const { stranger, link, origin, organizationId } = await stage();
    const answer = await stranger.post('/sign-in/link', { code: await link() });
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account/passkeys/new?return_to=%2F']);
    const person = visitor(origin, cookieOf(answer));
    expect(locationOf(await person.get('/'))).toBe(`/${organizationId}`);
    expect((await person.get(`/${organizationId}`)).links).toContain('/account/passkeys/new');
  });

  test.each([['//evil.example'], ['https%3A%2F%2Fevil.example'], ['%2F%2Fevil.example'], ['%']])(
    'does not redirect to another site, even if an attacker set the return cookie to %s',
    async (value) => {
      const { link, origin } = await stage();
      const answer = await visitor(origin, `__Host-rundown-return=${value}`).post('/sign-in/link', {
        code: await link(),
      });
      expect(locationOf(answer)).toBe('/account/passkeys/new?return_to=%2F');
    },
  );

  test('does not redirect to the page that another person requested earlier in the same browser', async () => {
    const here = await stage();
    const earlier = await signIn(here, here.account);
    const asked = `__Host-rundown-return=${encodeURIComponent('/secret')}`;
    const other = await member(here, 'member');
    const answer = await visitor(here.origin, `${earlier.cookie}; ${asked}`).post('/sign-in/link', {
      code: await here.link(other.email),
    });
    expect(locationOf(answer)).toBe('/account');
  });

  test('ends the earlier session of the browser', async () => {
    const here = await stage();
    const earlier = await signIn(here, here.account);
    const answer = await earlier.post('/sign-in/link', { code: await here.link() });
    expect((await visitor(here.origin, cookieOf(answer)).get('/account')).status).toBe(200);
    expect((await earlier.get('/account')).status).toBe(303);
    expect(await listSessions(here.services, here.account)).toHaveLength(1);
  });
});

describe('The confirmation page', () => {
  test('asks people to confirm their identity only if they signed in more than 25 minutes ago, and accepts a new sign-in link', async () => {
    const here = await stage();
    const person = await signIn(here, here.account);
    const path = '/sign-in/confirm?return_to=%2Faccount%3Fa%3Db';
    expect(locationOf(await person.get(path))).toBe('/account?a=b');
    clock.advance(SIGN_IN_LIMITS.freshPageMilliseconds + 1);
    const asked = await person.get(path);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain(here.account.email);
    const answer = await visitor(here.origin, `${person.cookie}; ${cookiesOf(asked)}`).post('/sign-in/link', {
      code: await here.link(),
    });
    expect(locationOf(answer)).toBe(linkToAddPasskey({ base: '' }, '/account?a=b'));
    expect(locationOf(await visitor(here.origin, cookieOf(answer)).get(path))).toBe('/account?a=b');
  });
});

describe('A page opened at 127.0.0.1', () => {
  test('redirects to the same path and query at localhost, where passkeys work', async () => {
    const { origin } = await stage();
    const answer = await visitor(origin.replace('localhost', '127.0.0.1')).get('/account?a=b');
    expect([answer.status, locationOf(answer)]).toEqual([308, `${origin}/account?a=b`]);
  });

  test('Requests to the API at 127.0.0.1 are not redirected to localhost', async () => {
    const { origin, keys } = await stage();
    const answer = await fetch(`${origin.replace('localhost', '127.0.0.1')}/v1/projects`, {
      headers: { authorization: `Bearer ${keys.readOnly}` },
    });
    expect(answer.status).toBe(200);
  });
});
