import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { findAccount } from '#shared/organizations/create-account.ts';
import { listMembers } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { connectSignInSecrets } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { signInByProvider } from '#shared/provider-sign-in/admit.ts';
import { startProviderFlow } from '#shared/provider-sign-in/flow.ts';
import { joinAsNewPerson } from '#shared/sign-in/accept-invitation.ts';
import { createChallenge } from '#shared/sign-in/challenges.ts';
import { attack } from '#test/harness/attacks.ts';
import { CLIENT_ID } from '#test/harness/company-provider.ts';
import { clock } from '#test/harness/service.ts';
import { signIn, visitor } from '#test/harness/visitor.ts';
import { BROWSER, cookieNamed, openid, sessionOf, stage, stateAddress, TRUSTED } from './stage.ts';

const refused = { status: 403, session: '' };
const outcomeOf = (answer: Parameters<typeof sessionOf>[0]) => ({ status: answer.status, session: sessionOf(answer) });

describe('Sign-in at a provider of the deployment', () => {
  test('is a button on the sign-in page, for each provider', async () => {
    const { stranger } = await stage();
    const page = await stranger.get('/sign-in');
    expect(page.text).toMatch(/Continue with Acme.*Continue with GitHub/);
    expect(page.links).toEqual(
      expect.arrayContaining(['/sign-in/with/openid/start', '/sign-in/with/github/start', '/sign-in/company']),
    );
  });

  test('opens the account with which the identity is connected, whatever the provider says about the address', async () => {
    const here = await stage();
    const kim = await here.person();
    stateAddress(kim.email, { subject: here.subject('kim') });
    await here.signIn('openid');
    stateAddress((await here.person()).email, { subject: here.subject('kim'), verified: false });
    const session = await here.signIn('openid');
    expect((await session.get('/account')).text).toContain(kim.email);
    expect((await session.get(`/${here.organizationId}`)).status).toBe(200);
  });

  test('leads back to the page that the person wanted', async () => {
    const here = await stage();
    stateAddress((await here.person()).email);
    const wanted = `/${here.organizationId}/settings/members`;
    const page = await here.stranger.get(`/sign-in?return_to=${encodeURIComponent(wanted)}`);
    const answer = await here.comeBack('openid', visitor(here.origin, cookieNamed(page, '__Host-rundown-return')));
    expect(answer.headers.get('location')).toBe(wanted);
  });

  test('tells everybody without an account the same, whether or not there is an account with the address', async () => {
    const here = await stage();
    const kim = await here.person(here.address('other.example'));
    stateAddress(kim.email);
    const known = await here.comeBack('openid');
    stateAddress(here.address('other.example'));
    const unknown = await here.comeBack('openid');
    expect(outcomeOf(known)).toEqual(refused);
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    expect(known.text).toContain('Ask an Admin for an invitation');
    expect(await here.identitiesOf(kim)).toEqual([]);
  });

  test('accepts an answer once, and only within 15 minutes', async () => {
    const here = await stage();
    stateAddress((await here.person()).email, { subject: here.subject('kim') });
    const start = await here.stranger.get('/sign-in/with/openid/start', { 'sec-fetch-site': 'same-origin' });
    const browser = visitor(here.origin, cookieNamed(start, '__Host-rundown-company'));
    const back = openid.authorize(start.headers.get('location') ?? '');
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.get(back.pathname + back.search)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(outcomeOf(await browser.get(back.pathname + back.search))).toEqual(refused);
    for (const provider of ['openid', 'github'] as const)
      expect(outcomeOf(await here.comeBack(provider, undefined, 'start', () => clock.advance(15 * 60_000)))).toEqual(
        refused,
      );
  });

  test('starts only from a page of this service, so that a link from a stranger signs nobody in', async () => {
    const here = await stage();
    const sites: readonly Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      {},
      { referer: 'https://evil.example/' },
    ];
    const own = await signIn(here, await here.person());
    for (const headers of sites) {
      attack('company sign-in');
      const answer = await here.stranger.get('/sign-in/with/github/start', headers);
      expect(answer.headers.get('location')).toBe('/sign-in/with/github');
      expect(answer.headers.getSetCookie()).toEqual([]);
      const connect = await own.get('/sign-in/with/github/connect', headers);
      expect(connect.headers.get('location')).toBe('/account');
      expect(connect.headers.getSetCookie()).toEqual([]);
    }
  });

  test('starts no session when answers of two providers or browsers are mixed up', async () => {
    const here = await stage();
    stateAddress((await here.person()).email, { subject: here.subject('kim') });
    await here.signIn('openid');
    const changes: readonly ((back: URL) => void)[] = [
      ({ searchParams }) => searchParams.delete('state'),
      ({ searchParams }) => searchParams.set('state', 'other'),
      ({ searchParams }) => searchParams.delete('code'),
      ({ searchParams }) => searchParams.set('code', 'other'),
      ({ searchParams }) => searchParams.set('iss', 'https://other.example'),
      (back) => Object.assign(back, { pathname: '/sign-in/with/github/callback' }),
      (back) => Object.assign(back, { pathname: `/sign-in/company/${here.organizationId}/callback` }),
    ];
    for (const change of changes) {
      attack('company sign-in', 2);
      const toGithub = (back: URL) => {
        change(back);
        if (back.pathname.includes('/github/')) back.pathname = '/sign-in/with/openid/callback';
      };
      expect(sessionOf(await here.comeBack('openid', undefined, 'start', change))).toBe('');
      expect(sessionOf(await here.comeBack('github', undefined, 'start', toGithub))).toBe('');
    }
    for (const provider of ['openid', 'github'])
      expect((await here.stranger.get(`/sign-in/with/${provider}/callback?code=x&state=y`)).status).toBe(403);
  });

  test('says what is missing while the client secret is not stored, and does not know other providers', async () => {
    const here = await stage();
    const secrets = connectSignInSecrets({
      ...here.environment,
      [ENVIRONMENT.signInPrefix]: '/rundown/without-secrets',
    })();
    const services = { ...here.services, privateReceivers: 'machine', secrets } as const;
    const start = startProviderFlow(services, { providerId: 'github', purpose: { kind: 'signIn' } });
    await expect(start).rejects.toThrow('has not finished setting up GitHub');
    expect((await here.stranger.get('/sign-in/with/gitlab')).status).toBe(400);
  });

  test('starts no session with a forged token, or after the person has refused', async () => {
    const here = await stage();
    stateAddress((await here.person()).email, { subject: here.subject('kim') });
    await here.signIn('openid');
    openid.forges = true;
    expect(outcomeOf(await here.comeBack('openid'))).toEqual(refused);
    openid.forges = false;
    const answer = await here.comeBack('openid', undefined, 'start', ({ searchParams }) => {
      searchParams.delete('code');
      searchParams.set('error', 'access_denied');
    });
    expect(outcomeOf(answer)).toEqual(refused);
    expect(answer.text).toContain('access_denied');
  });
});

describe('An address that the provider states', () => {
  test('connects the account with this address at a domain with which the operator trusts the provider', async () => {
    const here = await stage();
    const kim = await here.person();
    stateAddress(kim.email);
    const session = await here.signIn('openid');
    expect(await here.identitiesOf(kim)).toMatchObject([{ ground: 'domain', name: 'Acme' }]);
    const { text } = await session.get('/account');
    expect(text).toMatch(/Other ways to sign in.*Acme.*Connected when you first signed in there, because Acme proves/);
    expect(text).toContain('by Acme');
    const { records } = await readAudit(here.services, { ...here.by, limit: 50 });
    const detail = `at Acme, which proves addresses at ${TRUSTED}`;
    expect(records).toContainEqual(expect.objectContaining({ action: 'identity connected', detail }));
  });

  test.each<[string, (email: string) => Readonly<Record<string, unknown>>]>([
    ['no email_verified', () => ({ email_verified: undefined })],
    ['the text "true"', () => ({ email_verified: 'true' })],
    ['the number 1', () => ({ email_verified: 1 })],
    ['false', () => ({ email_verified: false })],
    ['a list', () => ({ email_verified: [true] })],
    ['xms_edov, which counts only for Microsoft', () => ({ email_verified: undefined, xms_edov: true })],
    ['the address in upper case', (email) => ({ email: email.toUpperCase() })],
    ['a space after the address', (email) => ({ email: `${email} ` })],
    ['the sign of Kelvin for a k', (email) => ({ email: email.replace('k', '\u212a') })],
    ['a dotless i', (email) => ({ email: email.replace('i', '\u0131') })],
    ['a full-width letter', (email) => ({ email: email.replace('acme', '\uff41cme') })],
    ['an invisible character', (email) => ({ email: email.replace('@', '\u200b@') })],
    ['a subdomain', (email) => ({ email: email.replace('@', '@mail.') })],
    ['a suffix of the domain', (email) => ({ email: `${email}.evil.example` })],
    ['two addresses', (email) => ({ email: [email] })],
    ['the address as user name only', (email) => ({ email: undefined, preferred_username: email })],
  ])('connects no account with %s', async (_, statement) => {
    const here = await stage();
    const kim = await here.person(`kim-${here.address()}`);
    stateAddress(kim.email);
    openid.person = { ...openid.person, ...statement(kim.email) };
    attack('company sign-in');
    expect(outcomeOf(await here.comeBack('openid'))).toEqual(refused);
    expect(await here.identitiesOf(kim)).toEqual([]);
  });

  test('connects no account at another domain, of which another person has the identity, or which is unproven', async () => {
    const here = await stage();
    const other = await here.person(here.address('other.example'));
    stateAddress(other.email);
    expect(outcomeOf(await here.comeBack('openid'))).toEqual(refused);
    const kim = await here.person();
    stateAddress(kim.email, { subject: here.subject('first') });
    await here.signIn('openid');
    stateAddress(kim.email, { subject: here.subject('second') });
    expect(outcomeOf(await here.comeBack('openid'))).toEqual(refused);
    expect(await here.identitiesOf(kim)).toHaveLength(1);
    const email = here.address();
    const session = await joinAsNewPerson(here.services, { secret: await here.invite(email), name: 'X', ...BROWSER });
    stateAddress(email, { subject: here.subject('third') });
    expect(outcomeOf(await here.comeBack('openid'))).toEqual(refused);
    expect(await here.identitiesOf(session.session)).toEqual([]);
  });

  test('connects one of several accounts that sign in at the same moment, and each only once', async () => {
    const here = await stage();
    const kim = await here.person();
    const starts = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        stateAddress(kim.email, { subject: here.subject(`${index % 2}`) });
        const start = await here.stranger.get('/sign-in/with/openid/start', { 'sec-fetch-site': 'same-origin' });
        stateAddress(kim.email, { subject: here.subject(`${index % 2}`) });
        return { start, back: openid.authorize(start.headers.get('location') ?? '') };
      }),
    );
    const answers = await Promise.all(
      starts.map(({ start, back }) =>
        visitor(here.origin, cookieNamed(start, '__Host-rundown-company')).get(back.pathname + back.search),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 303).length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([303, 403]));
    expect(await here.identitiesOf(kim)).toHaveLength(1);
    expect((await findAccount(here.services, kim.email))?.identities).toBe(1);
  });

  test('of GitHub connects no account, even at a trusted domain', async () => {
    const here = await stage();
    const kim = await here.person();
    stateAddress(kim.email);
    attack('company sign-in');
    expect(outcomeOf(await here.comeBack('github'))).toEqual(refused);
    expect(await here.identitiesOf(kim)).toEqual([]);
  });
});

describe('An invitation that is accepted at a provider', () => {
  test.each(['openid', 'github'] as const)('makes an account for the verified address, at %s', async (provider) => {
    const here = await stage();
    const email = here.address('other.example');
    const invited = await accept(here, await here.invite(email), provider);
    expect(invited.location).toBe(`/sign-in/with/${provider}?purpose=join`);
    stateAddress(email);
    const answer = await here.comeBack(provider, invited.browser, 'start?purpose=join');
    expect(answer.headers.get('location')).toBe('/account/passkeys/new?return_to=%2F');
    const session = visitor(here.origin, sessionOf(answer));
    expect((await session.get(`/${here.organizationId}`)).status).toBe(200);
    // The person adds a passkey at once. Later, they confirm who they are first.
    expect((await session.get('/account/passkeys/new')).status).toBe(200);
    const account = await findAccount(here.services, email);
    expect(account).toMatchObject({ name: 'Kim Roe', identities: 1 });
    // Only the operator knows whether a provider verifies addresses, except for GitHub itself.
    expect(account?.unproven).toBeDefined();
    expect(await here.identitiesOf(account ?? { accountId: '' })).toMatchObject([{ ground: 'invitation' }]);
    const again = await here.comeBack(provider, invited.browser, 'start?purpose=join');
    expect(again.headers.get('location')).toContain('/invitations#');
    expect(await listMembers(here.services, here.by)).toHaveLength(1);
  });

  test('makes no account for an address that is another, not verified, or spelled in another way', async () => {
    const here = await stage();
    const email = here.address('other.example');
    const { browser } = await accept(here, await here.invite(email), 'openid');
    for (const [address, verified] of [
      [here.address('other.example'), true],
      [email, false],
      [email, 'true'],
      [email.toUpperCase(), true],
      [email.replace('@', '+x@'), true],
    ] as const) {
      attack('company sign-in', 2);
      stateAddress(address, { verified });
      for (const provider of ['openid', 'github'] as const) {
        const answer = await here.comeBack(provider, browser, 'start?purpose=join');
        expect(outcomeOf(answer)).toEqual(refused);
        expect(answer.text).toContain('does not state that you own the invited address');
      }
    }
    expect(await findAccount(here.services, email)).toBeUndefined();
    expect(await listMembers(here.services, here.by)).toEqual([]);
  });

  test('works once, and not after it was revoked, or in another browser', async () => {
    const here = await stage();
    const email = here.address();
    const secret = await here.invite(email);
    const { browser } = await accept(here, secret, 'openid');
    await here.invite(email);
    stateAddress(email);
    const replaced = await here.comeBack('openid', browser, 'start?purpose=join');
    expect([replaced.status, sessionOf(replaced)]).toEqual([404, '']);
    expect((await here.stranger.post('/invitations', { code: secret, provider: 'openid' })).status).toBe(404);
    // Without the invitation, the browser only signs in.
    expect(outcomeOf(await here.comeBack('openid', undefined, 'start?purpose=join'))).toEqual(refused);
    expect(await findAccount(here.services, email)).toBeUndefined();
  });

  test('is the one for which the person went to the provider', async () => {
    const here = await stage();
    const email = here.address();
    const first = await accept(here, await here.invite(email), 'openid');
    const second = await accept(here, await here.invite(email), 'openid');
    stateAddress(email);
    const start = await first.browser.get('/sign-in/with/openid/start?purpose=join', {
      'sec-fetch-site': 'same-origin',
    });
    const flow = cookieNamed(start, '__Host-rundown-company');
    const back = openid.authorize(start.headers.get('location') ?? '');
    attack('company sign-in');
    const answer = await visitor(here.origin, `${second.browser.cookie}; ${flow}`).get(back.pathname + back.search);
    expect(outcomeOf(answer)).toEqual(refused);
    expect(await findAccount(here.services, email)).toBeUndefined();
  });

  test('is shown to somebody who has an account, with the name of the account, before it is accepted', async () => {
    const here = await stage();
    const kim = await here.person();
    stateAddress(kim.email);
    await here.signIn('openid');
    const other = await here.tenant('Other');
    const { inviteMember } = await import('#shared/organizations/invitations.ts');
    const { organizationId } = other;
    const request = { organizationId, actor: OPERATOR, email: kim.email, role: 'member' } as const;
    const { secret } = await inviteMember(here.services, request);
    const { browser } = await accept(here, secret, 'openid');
    const answer = await here.comeBack('openid', browser, 'start?purpose=join');
    expect(answer.headers.get('location')).toBe(`/invitations#${secret}`);
    const session = visitor(here.origin, sessionOf(answer));
    expect((await session.post('/invitations', { code: secret, step: 'look' })).text).toContain('Join as Kim Roe');
    expect(await listMembers(here.services, { ...here.by, organizationId })).toEqual([]);
    expect((await session.post('/invitations', { code: secret })).headers.get('location')).toBe(`/${organizationId}`);
  });

  test('proves the address if GitHub itself, or a trusted provider, has verified it', async () => {
    const here = await stage();
    const github = { providerId: 'github', name: 'GitHub', issuer: 'https://github.com', clientId: CLIENT_ID } as const;
    const trusted = {
      ...github,
      providerId: 'openid',
      issuer: 'https://sso.example',
      trustedDomains: [TRUSTED],
    } as const;
    for (const provider of [{ ...github, trustedDomains: [] }, trusted]) {
      const email = here.address();
      const { session } = (
        await signInByProvider(here.services, {
          provider,
          identity: crypto.randomUUID().replaceAll('-', '').repeat(2),
          person: { subject: '7', name: undefined, provenAddress: email },
          challenge: await createChallenge(here.services, { kind: 'providerJoin', providerId: provider.providerId }),
          invitation: await here.invite(email),
          browser: BROWSER,
        })
      ).newSession;
      const account = await findAccount(here.services, email);
      expect(account).toMatchObject({ accountId: session.accountId, name: email.slice(0, email.indexOf('@')) });
      expect(account?.unproven).toBeUndefined();
    }
  });
});

/** Presses the button of the invitation page. */
async function accept({ stranger, origin }: Awaited<ReturnType<typeof stage>>, code: string, provider: string) {
  const answer = await stranger.post('/invitations', { code, provider });
  const cookie = cookieNamed(answer, '__Host-rundown-invitation');
  return { location: answer.headers.get('location'), browser: visitor(origin, cookie) };
}
