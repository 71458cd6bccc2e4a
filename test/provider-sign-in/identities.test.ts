import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eraseAccount } from '#shared/erasure/erase-account.ts';
import { findAccount } from '#shared/organizations/create-account.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { signInByProvider } from '#shared/provider-sign-in/admit.ts';
import { createChallenge } from '#shared/sign-in/challenges.ts';
import { attack } from '#test/harness/attacks.ts';
import { CLIENT_ID } from '#test/harness/company-provider.ts';
import { signedInWithPasskey } from '#test/harness/passkey.ts';
import { clock } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';
import { type Shown, signIn, visitor } from '#test/harness/visitor.ts';
import { BROWSER, github, openid, sessionOf, stage, stateAddress } from './stage.ts';

const HOUR = 60 * 60_000;
const locationOf = ({ headers }: Shown) => headers.get('location');

/** A person who has connected GitHub with their account, whose address GitHub does not know. */
async function connected() {
  const here = await stage();
  const kim = await here.person();
  const own = await signIn(here, kim);
  stateAddress('private@elsewhere.example', { subject: here.subject('kim') });
  const answer = await here.comeBack('github', own, 'connect');
  expect([answer.status, locationOf(answer)]).toEqual([303, '/account#providers']);
  return { ...here, kim, own: visitor(here.origin, sessionOf(answer)) };
}

describe('A person connects GitHub on the account page', () => {
  test('and signs in with it from then on, although the address there is another', async () => {
    const here = await connected();
    expect((await here.own.get('/account')).text).toMatch(/Other ways to sign in.*GitHub.*You connected it.*Acme/);
    const session = await here.signIn('github');
    const { text } = await session.get('/account');
    expect(text).toContain(here.kim.email);
    expect(text).toContain('by GitHub');
    const { records } = await readAudit(here.services, { ...here.by, limit: 50 });
    const record = { action: 'identity connected', detail: 'at GitHub', actor: `user:${here.kim.accountId}` };
    expect(records).toContainEqual(expect.objectContaining(record));
  });

  test('after they have confirmed who they are', async () => {
    const here = await stage();
    const own = await signIn(here, await here.person());
    clock.advance(HOUR);
    attack('stale sign-ins');
    const answer = await own.get('/sign-in/with/github/connect', { 'sec-fetch-site': 'same-origin' });
    expect(locationOf(answer)).toContain('/sign-in/confirm');
  });

  test('but not an identity that is connected with another account, and no second one', async () => {
    const here = await connected();
    const other = await signIn(here, await here.person());
    const taken = await here.comeBack('github', other, 'connect');
    expect(taken.status).toBe(409);
    expect(taken.text).toContain('already connected with another account');
    stateAddress(here.kim.email, { subject: here.subject('other') });
    const second = await here.comeBack('github', here.own, 'connect');
    expect(second.status).toBe(409);
    expect(second.text).toContain('already connected with another identity at GitHub');
    expect(await here.identitiesOf(here.kim)).toHaveLength(1);
  });

  test('only in the session that started it', async () => {
    const here = await stage();
    const own = await signIn(here, await here.person());
    const mallory = await signIn(here, await here.person());
    stateAddress('x@elsewhere.example');
    const start = await mallory.get('/sign-in/with/github/connect', { 'sec-fetch-site': 'same-origin' });
    const back = github.authorize(locationOf(start) ?? '');
    const flow = start.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    attack('company sign-in', 2);
    const inOther = await visitor(here.origin, `${own.cookie}; ${flow}`).get(back.pathname + back.search);
    const inNone = await visitor(here.origin, flow).get(back.pathname + back.search);
    expect([inOther.status, inNone.status]).toEqual([403, 403]);
  });

  test('again without an effect, when the answer is lost and they repeat it', async () => {
    const here = await connected();
    stateAddress('private@elsewhere.example', { subject: here.subject('kim') });
    const again = await here.comeBack('github', here.own, 'connect');
    expect(again.status).toBe(303);
    expect(await here.identitiesOf(here.kim)).toHaveLength(1);
    expect((await findAccount(here.services, here.kim.email))?.identities).toBe(1);
  });
});

describe('GitHub', () => {
  test('is asked for number, name and addresses, and its token is kept nowhere', async () => {
    const here = await connected();
    github.received.length = 0;
    await here.signIn('github');
    const asked = github.received.map(({ method, path }) => `${method} ${path}`);
    expect(asked).toEqual([
      'POST /login/oauth/access_token',
      'GET /api/v3/user',
      'GET /api/v3/user/emails?per_page=100',
    ]);
    expect(await itemsWith(here.environment, 'gho_')).toEqual([]);
  });

  test('identifies people by their number: a login can be given to somebody else', async () => {
    const here = await connected();
    github.user = { ...github.user, login: 'renamed' };
    await here.signIn('github');
    github.user = { login: 'kim', id: 7, name: 'Kim Roe' };
    attack('company sign-in');
    const answer = await here.comeBack('github');
    expect([answer.status, sessionOf(answer)]).toEqual([403, '']);
  });

  test.each<[string, string, number, string]>([
    ['an error with status 200', '/login/oauth/access_token', 200, '{"error":"incorrect_client_credentials"}'],
    ['an error with markup', '/login/oauth/access_token', 200, '{"error":"<b>x</b>"}'],
    ['no token', '/login/oauth/access_token', 200, '{}'],
    ['an outage', '/login/oauth/access_token', 503, 'Service unavailable'],
    ['a number as text', '/api/v3/user', 200, '{"id":"42","login":"kim"}'],
    ['no number', '/api/v3/user', 200, '{"login":"kim"}'],
    ['a number that is not exact', '/api/v3/user', 200, '{"id":9007199254740993,"login":"kim"}'],
    ['text instead of JSON', '/api/v3/user', 200, 'hello'],
    ['a refused token', '/api/v3/user', 401, '{"message":"Bad credentials"}'],
    ['addresses that may not be read', '/api/v3/user/emails', 403, '{"message":"Forbidden"}'],
    ['addresses that are none', '/api/v3/user/emails', 200, '{"email":"kim@acme.example"}'],
    ['a redirect', '/api/v3/user', 302, ''],
  ])('starts no session when it answers with %s', async (_, path, status, body) => {
    const here = await connected();
    github.wrong.set(path, [status, body]);
    attack('company sign-in');
    const answer = await here.comeBack('github');
    expect([answer.status, sessionOf(answer)]).toEqual([403, '']);
    expect(answer.text).toContain('You were not signed in');
    expect(answer.html).not.toContain('<b>x</b>');
    github.wrong.clear();
    await here.signIn('github');
  });
});

describe('Who signed in at a provider', () => {
  test('confirms who they are at the provider before they change how they sign in', async () => {
    const here = await stage();
    const kim = await here.person();
    stateAddress(kim.email, { subject: here.subject('kim') });
    const session = await here.signIn('openid');
    attack('stale sign-ins');
    expect(locationOf(await session.get('/account/passkeys/new'))).toContain('/sign-in/confirm');
    const page = await session.get('/sign-in/confirm');
    expect(page.links).toContain('/sign-in/with/openid/start?purpose=confirm');
    const answer = await here.comeBack('openid', session, 'start?purpose=confirm');
    expect(answer.status).toBe(303);
    const confirmed = visitor(here.origin, sessionOf(answer));
    expect((await confirmed.get('/account/passkeys/new')).status).toBe(200);
  });

  test.each<[string, object]>([
    ['the provider does not say when it asked', { auth_time: undefined }],
    ['the provider asked long ago', { auth_time: 1 }],
  ])('confirms nothing if %s', async (_, lie) => {
    const here = await stage();
    const kim = await here.person();
    stateAddress(kim.email, { subject: here.subject('kim') });
    const session = await here.signIn('openid');
    Object.assign(openid, { lie });
    attack('stale sign-ins');
    const answer = await here.comeBack('openid', session, 'start?purpose=confirm');
    expect([answer.status, sessionOf(answer)]).toEqual([403, '']);
  });

  test('confirms nothing as another person, and nothing with GitHub, which cannot ask again', async () => {
    const here = await connected();
    const kim = here.kim;
    stateAddress(kim.email, { subject: here.subject('kim') });
    const session = await here.signIn('openid');
    stateAddress((await here.person()).email, { subject: here.subject('alex') });
    await here.signIn('openid');
    attack('stale sign-ins', 2);
    const other = await here.comeBack('openid', session, 'start?purpose=confirm');
    expect([other.status, sessionOf(other)]).toEqual([403, '']);
    const atGithub = await here.comeBack('github', session, 'start?purpose=confirm');
    expect(atGithub.status).toBe(403);
    expect(atGithub.text).toContain('Confirm with a passkey or a code');
    expect((await session.get('/sign-in/confirm')).text).not.toContain('Confirm with GitHub');
  });

  test('loses the session when the operator removes the provider', async () => {
    const here = await stage();
    const email = here.address('other.example');
    const provider = {
      providerId: 'github',
      name: 'Gone',
      issuer: 'https://gone.example',
      clientId: CLIENT_ID,
    } as const;
    const { newSession } = await signInByProvider(here.services, {
      provider: { ...provider, trustedDomains: ['other.example'] },
      identity: createHash('sha256').update(email).digest('hex'),
      person: { subject: '7', name: 'Kim', provenAddress: email },
      challenge: await createChallenge(here.services, { kind: 'providerJoin', providerId: 'openid' }),
      invitation: await here.invite(email),
      browser: BROWSER,
    });
    const session = visitor(here.origin, `__Host-rundown-session=${newSession.secret}`);
    expect(locationOf(await session.get('/account'))).toContain('/sign-in');
    expect(locationOf(await session.get(`/${here.organizationId}`))).toContain('/sign-in');
    const own = await signIn(here, { email });
    expect((await own.get('/account')).text).toMatch(/Gone.*Connected when you accepted.*, not used anymore/);
  });
});

describe('An identity that is disconnected', () => {
  const identityOf = async (here: Awaited<ReturnType<typeof connected>>) =>
    (await here.identitiesOf(here.kim))[0]?.identity ?? '';
  const disconnect = (from: Awaited<ReturnType<typeof signIn>>, identity: string) =>
    from.post('/account/identities/disconnect', { identity });

  test('opens nothing any more, and its sessions end', async () => {
    const here = await connected();
    const session = await here.signIn('github');
    const { person } = await signedInWithPasskey(here, here.kim);
    const answer = await disconnect(person, await identityOf(here));
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account#providers']);
    expect((await visitor(here.origin, sessionOf(answer)).get('/account')).status).toBe(200);
    expect(locationOf(await session.get('/account'))).toContain('/sign-in');
    expect((await here.comeBack('github')).status).toBe(403);
    expect(await here.identitiesOf(here.kim)).toEqual([]);
    expect((await findAccount(here.services, here.kim.email))?.identities).toBe(0);
    const { records } = await readAudit(here.services, { ...here.by, limit: 50 });
    const record = { action: 'identity ended', detail: 'at GitHub, by the person' };
    expect(records).toContainEqual(expect.objectContaining(record));
  });

  test('is never the last way in', async () => {
    const here = await connected();
    const refusal = await disconnect(here.own, await identityOf(here));
    expect(refusal.status).toBe(409);
    expect(refusal.text).toContain('GitHub is your only way to sign in. Add a passkey before you disconnect it');
    stateAddress(here.kim.email, { subject: here.subject('kim') });
    await here.signIn('openid');
    expect((await disconnect(here.own, await identityOf(here))).status).toBe(303);
  });

  test('was not the last way in when two are disconnected at the same moment', async () => {
    const here = await connected();
    stateAddress(here.kim.email, { subject: here.subject('kim') });
    await here.signIn('openid');
    const all = await here.identitiesOf(here.kim);
    const sessions = await Promise.all(all.map(() => signIn(here, here.kim).then((session) => session)));
    await Promise.all(all.map(({ identity }, index) => disconnect(sessions[index] ?? here.own, identity)));
    expect(await here.identitiesOf(here.kim)).not.toEqual([]);
  });

  test('belongs to the person who disconnects it, who has confirmed who they are', async () => {
    const here = await connected();
    const identity = await identityOf(here);
    const { person: other } = await signedInWithPasskey(here, await here.person());
    attack('foreign ids');
    expect((await disconnect(other, identity)).status).toBe(404);
    clock.advance(HOUR);
    attack('stale sign-ins');
    expect(locationOf(await disconnect(here.own, identity))).toContain('/sign-in/confirm');
    expect(await here.identitiesOf(here.kim)).toHaveLength(1);
  });

  test('opens nothing after the account was erased', async () => {
    const here = await connected();
    const session = await here.signIn('github');
    await eraseAccount(here.services, here.kim);
    expect(await here.identitiesOf(here.kim)).toEqual([]);
    expect(locationOf(await session.get('/account'))).toContain('/sign-in');
    expect((await here.comeBack('github')).status).toBe(403);
  });
});

test('A stranger who took an address before its owner loses the identity when the owner proves the address', async () => {
  const here = await stage();
  const email = here.address('other.example');
  // Mallory runs the provider, or took the address at GitHub before Kim.
  const secret = await here.invite(email);
  stateAddress(email, { subject: here.subject('mallory') });
  const { headers } = await here.stranger.post('/invitations', { code: secret, provider: 'openid' });
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = await here.comeBack('openid', visitor(here.origin, cookie), 'start?purpose=join');
  const mallory = visitor(here.origin, sessionOf(answer));
  expect((await mallory.get('/account')).status).toBe(200);
  attack('squatters', 2);
  const kim = await signIn(here, { email });
  expect((await kim.get('/account')).text).not.toContain('Connected when you accepted');
  expect(locationOf(await mallory.get('/account'))).toContain('/sign-in');
  expect((await here.comeBack('openid')).status).toBe(403);
  expect((await findAccount(here.services, email))?.identities).toBeUndefined();
});
