import { describe, expect, test } from 'vitest';
import { makePerson as personOf } from '#shared/access/actor.ts';
import { revokeOwnGrants } from '#shared/oauth/grants.ts';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { ask, authorizationPath, authorize, decide, proof } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';
import { signIn, visitor } from '#test/harness/visitor.ts';
import { target } from '#test/webhooks/target.ts';

issueOwnTokens();

type More = Readonly<Record<string, string | readonly string[] | undefined>>;

async function answerTo(origin: string, more: More, browser = visitor(origin)) {
  const { status, headers, text } = await browser.get(authorizationPath(['results:read'], proof().challenge, more));
  const location = headers.get('location') ?? '';
  return { status, text, location, error: errorIn(location) };
}

/** The error in a redirect. Some errors arrive in the fragment instead of the query. */
const errorIn = (location: string): string | null | undefined => {
  const url = URL.parse(location);
  return url?.searchParams.get('error') ?? new URLSearchParams(url?.hash.slice(1)).get('error');
};

describe('An authorization request', () => {
  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for an implicit token', { response_type: 'token' }, 'invalid_request'],
    ['for a foreign resource', { resource: 'https://evil.example' }, 'invalid_target'],
    ['without any scope of the API', { scope: 'openid' }, 'invalid_scope'],
    ['that forbids prompts', { prompt: 'none' }, 'login_required'],
  ])('An authorization request %s is refused with a redirect to the application', async (_, more, error) => {
    const { origin } = await service();
    const answer = await answerTo(origin, more);
    attack('OAuth');
    expect(answer).toMatchObject({ status: 303, error });
    expect(answer.location).toMatch(`iss=${encodeURIComponent(origin)}`);
  });

  test.each([
    ['with two resources', { resource: ['http://a.example', 'http://b.example'] }, 'invalid_target'],
    ['that wants its code in a form', { response_mode: 'form_post' }, 'response_mode=query'],
    ['that wants its code in a fragment', { response_mode: 'fragment' }, 'response_mode=query'],
    ['of an unknown client', { client_id: 'nobody' }, 'invalid_client'],
  ])('An authorization request %s is refused on a page, without a redirect', async (_, more, text) => {
    const { origin } = await service();
    const answer = await answerTo(origin, more);
    attack('OAuth');
    expect(answer).toMatchObject({ status: 400, location: '' });
    expect(answer.text).toContain(text);
  });

  test('The page of an authorization request is not found in another browser, and asks a visitor without a session to sign in', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const asked = await ask(stage, account, authorizationPath(['results:read'], proof().challenge));
    expect(asked.page.text).toContain('asks for access');
    const other = await ask(stage, account, authorizationPath(['results:read'], proof().challenge));
    expect((await other.browser.get(asked.path)).status).toBe(404);
    expect((await visitor(stage.origin).get(asked.path)).headers.get('location')).toMatch(/^\/sign-in\?return_to=/);
  });

  test.each([
    ['absent', undefined],
    ['empty', ''],
  ])('asks for the basic read permissions if its scope is %s', async (_, scope) => {
    const stage = await service();
    const path = authorizationPath([], proof().challenge, { scope });
    const { page } = await ask(stage, await member(stage, 'admin'), path);
    const boxes = [...page.html.matchAll(/<input[^>]*name=.?scopes[^>]*>/g)];
    expect(boxes.map(([box]) => /value="([^"]*)"/.exec(box)?.[1])).toEqual([
      'projects:read',
      'results:read',
      'analytics:read',
      'actions:read',
    ]);
  });

  test('A person who denies an authorization request returns to the application without a code', async () => {
    const stage = await service();
    const asked = await ask(
      stage,
      await member(stage, 'member'),
      authorizationPath(['results:read'], proof().challenge),
    );
    const { searchParams } = await decide(stage, asked, { decision: 'deny' });
    expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'access_denied', iss: stage.origin });
    expect(searchParams.has('code')).toBe(false);
  });
});

test('The service sends nothing to a local address in a client id, even if webhooks may reach this address', async () => {
  const { origin, services } = await service();
  expect(services.privateReceivers).toBe('machine');
  const inside = await target();
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0']) {
    const answer = await answerTo(origin, { client_id: `https://${host}:${inside.port}/client.json` });
    expect(answer).toMatchObject({ status: 400, location: '' });
  }
  expect(inside.reached()).toBe(0);
});

const ADDRESS = 'https://evil.example/forged-sign-in';

/** Registers an application. Anybody may do this without a credential. */
async function registered(origin: string) {
  const metadata = JSON.stringify({ client_name: 'Anything', redirect_uris: [ADDRESS] });
  const headers = { 'content-type': 'application/json' };
  const { body } = await client(origin).send('POST', '@/api/auth/oauth2/register', metadata, { headers });
  return { client_id: String(body.client_id), redirect_uri: ADDRESS };
}

const BROKEN: readonly (readonly [string, More])[] = [
  ['that forbids prompts', { prompt: 'none' }],
  ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
  ['with a plain challenge', { code_challenge_method: 'plain' }],
  ['for an implicit token', { response_type: 'token' }],
  ['without a type of response', { response_type: undefined }],
  ['for a foreign resource', { resource: 'https://evil.example' }],
  ['without any scope of the API', { scope: 'openid' }],
  ['with two scopes', { scope: ['openid', 'results:read'] }],
  ['with an unknown prompt', { prompt: 'x' }],
  ['with a negative age', { max_age: '-1' }],
  ['with a request object', { request: 'e30.e30.' }],
  ['with a request object elsewhere', { request_uri: 'https://evil.example/request' }],
  ['with a hint that is no token', { id_token_hint: 'x' }],
  ['with a registration', { registration: '{}' }],
  ['with two states', { state: ['a', 'b'] }],
];

describe('An error in an authorization request', () => {
  test('is shown on a page of Rundown, without a redirect, if the person has not allowed the application', async () => {
    const stage = await service();
    const application = await registered(stage.origin);
    const person = await signIn(stage, await member(stage, 'admin'));
    const left: string[] = [];
    for (const [name, more] of BROKEN) {
      for (const browser of [visitor(stage.origin), person]) {
        const { status, location, text } = await answerTo(stage.origin, { ...application, ...more }, browser);
        if (status !== 400 || location !== '' || !text.includes('_')) left.push(`${name}: ${status} ${location}`);
      }
    }
    expect(left).toEqual([]);
  });

  test('is sent to an application that the person has allowed, but not if the request comes from the browser of another person', async () => {
    const stage = await service();
    const { origin } = stage;
    const account = await member(stage, 'member');
    const application = await registered(origin);
    const person = await signIn(stage, account);
    const ask = (browser = person) => answerTo(origin, { ...application, prompt: 'none' }, browser);
    expect(await ask()).toMatchObject({ status: 400, location: '' });
    await authorize(stage, {
      account,
      scopes: ['results:read'],
      clientId: application.client_id,
      redirectUri: ADDRESS,
    });
    const { status, error, location } = await ask();
    expect([status, error]).toEqual([303, 'login_required']);
    expect(location.startsWith(`${ADDRESS}?`)).toBe(true);
    expect(await ask(await signIn(stage, await member(stage, 'member')))).toMatchObject({ status: 400, location: '' });
    expect(await ask(visitor(origin))).toMatchObject({ status: 400, location: '' });
    const other = { ...(await registered(origin)), prompt: 'none' };
    expect(await answerTo(origin, other, person)).toMatchObject({ status: 400, location: '' });
    await revokeOwnGrants(stage.services, personOf(account));
    expect(await ask()).toMatchObject({ status: 400, location: '' });
  });

  test('The application gets the error access_denied if the person denies the request', async () => {
    const stage = await service();
    const path = authorizationPath(['results:read'], proof().challenge, await registered(stage.origin));
    const { href } = await decide(stage, await ask(stage, await member(stage, 'member'), path), { decision: 'deny' });
    expect(href.startsWith(`${ADDRESS}?error=access_denied`)).toBe(true);
  });
});

/** Redirect URIs that differ from the registered URI. Only the port of a loopback address may vary (RFC 8252). */
function redirectVariants(): string[] {
  const hosts = [
    'localhost',
    '127.0.0.2',
    '127.1',
    '0.0.0.0',
    '[::1]',
    '127.0.0.1.evil.example',
    'evil.example',
    '127.0.0.1@evil.example',
  ];
  const paths = [
    '/',
    '',
    '/callback/',
    '/Callback',
    '/callback/x',
    '/callback%2f',
    '/callback;x',
    '/callback?x=1',
    '/callback#x',
    '/%63allback',
  ];
  const schemes = ['https', 'ftp', 'javascript', 'HTTPS', 'data'];
  return [
    ...hosts.flatMap((host) => ['', ':1', ':51999'].map((port) => `http://${host}${port}/callback`)),
    ...paths.flatMap((path) => ['', ':51999'].map((port) => `http://127.0.0.1${port}${path}`)),
    ...schemes.flatMap((scheme) => ['', ':51999'].map((port) => `${scheme}://127.0.0.1${port}/callback`)),
    ...['user@', 'user:pass@', '@', 'evil.example@'].map((user) => `http://${user}127.0.0.1/callback`),
    ...['/../callback', '//callback', '/./callback', '/x/../callback', '\\callback'].map(
      (path) => `http://127.0.0.1${path}x`,
    ),
    'callback',
    '//127.0.0.1/callback',
    ' http://127.0.0.1/callback',
    'http:127.0.0.1/callback',
    'urn:x',
    'http://127.0.0.1/callback ',
    'http://127.0.0.1/callback\t',
    'http://127.0.0.1/callback%00',
    'http://127.0.0.1/callback.',
    'http://127.0.0.1/call\u0130ack',
    'http://1\u3002evil.example/callback',
    'http://2130706433/callbackx',
    'http://127.0.0.1:80@evil.example/callback',
    'http://evil.example/?http://127.0.0.1/callback',
    'x'.repeat(3000),
    'http://127.0.0.1/callback/..',
    'http://127.0.0.1/callback?',
    'http://127.0.0.1/callback#',
    'null',
  ];
}

describe('A redirect URI', () => {
  test('A redirect URI that differs from the registered URI in more than its port is refused without a redirect', async () => {
    const { origin } = await service();
    const variants = redirectVariants();
    expect(variants.length).toBeGreaterThanOrEqual(80);
    attack('OAuth', variants.length);
    const passed: string[] = [];
    for (const redirect_uri of variants) {
      const { status, location } = await answerTo(origin, { redirect_uri });
      if (status !== 400 || location !== '') passed.push(redirect_uri);
    }
    expect(passed).toEqual([]);
  });

  test.each(['', ':1', ':80', ':8080', ':65535'])('with a loopback address may have any port: "%s"', async (port) => {
    const { origin } = await service();
    const { location } = await answerTo(origin, { redirect_uri: `http://127.0.0.1${port}/callback` });
    expect(location).toMatch(/\/oauth\/consent\//);
  });
});
