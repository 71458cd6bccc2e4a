import { describe, expect, test } from 'vitest';
import { ask, authorizationPath, decide, proof } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';
import { visitor } from '#test/harness/visitor.ts';

issueOwnTokens();

type More = Readonly<Record<string, string | readonly string[] | undefined>>;

async function answerTo(origin: string, more: More) {
  const { status, headers, text } = await visitor(origin).get(
    authorizationPath(['results:read'], proof().challenge, more),
  );
  const location = headers.get('location') ?? '';
  return { status, text, location, error: errorIn(location) };
}

/** Some errors arrive in the fragment. */
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
    ['that forbids to ask', { prompt: 'none' }, 'login_required'],
  ])('%s is refused at the application', async (_, more, error) => {
    const { origin } = await service();
    const answer = await answerTo(origin, more);
    expect(answer).toMatchObject({ status: 303, error });
    expect(answer.location).toMatch(`iss=${encodeURIComponent(origin)}`);
  });

  test.each([
    ['with two resources', { resource: ['http://a.example', 'http://b.example'] }, 'invalid_target'],
    ['that wants its code in a form', { response_mode: 'form_post' }, 'response_mode=query'],
    ['that wants its code in a fragment', { response_mode: 'fragment' }, 'response_mode=query'],
    ['of an unknown client', { client_id: 'nobody' }, 'invalid_client'],
  ])('%s is refused on a page, and goes nowhere', async (_, more, text) => {
    const { origin } = await service();
    const answer = await answerTo(origin, more);
    expect(answer).toMatchObject({ status: 400, location: '' });
    expect(answer.text).toContain(text);
  });

  test('of this browser is unknown in another browser, to another person, and after ten minutes', async () => {
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
  ])('without a scope asks to read the results of a team, if the parameter is %s', async (_, scope) => {
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

  test('that the person denies returns to the application without a code', async () => {
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

/** T12. Only the port of a loopback address is free (RFC 8252). */
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
    ...['callback', '//127.0.0.1/callback', ' http://127.0.0.1/callback', 'http:127.0.0.1/callback', 'urn:x'],
    ...[
      'http://127.0.0.1/callback ',
      'http://127.0.0.1/callback\t',
      'http://127.0.0.1/callback%00',
      'http://127.0.0.1/callback.',
    ],
    ...['http://127.0.0.1/call\u0130ack', 'http://1\u3002evil.example/callback', 'http://2130706433/callbackx'],
    ...[
      'http://127.0.0.1:80@evil.example/callback',
      'http://evil.example/?http://127.0.0.1/callback',
      'x'.repeat(3000),
    ],
    ...['http://127.0.0.1/callback/..', 'http://127.0.0.1/callback?', 'http://127.0.0.1/callback#', 'null'],
  ];
}

describe('A redirect URI', () => {
  test('must be registered exactly: of 80 variants none receives an answer', async () => {
    const { origin } = await service();
    const variants = redirectVariants();
    expect(variants.length).toBeGreaterThanOrEqual(80);
    const passed: string[] = [];
    for (const redirect_uri of variants) {
      const { status, location } = await answerTo(origin, { redirect_uri });
      if (status !== 400 || location !== '') passed.push(redirect_uri);
    }
    expect(passed).toEqual([]);
  });

  test.each(['', ':1', ':80', ':8080', ':65535'])('of a loopback address may have any port: "%s"', async (port) => {
    const { origin } = await service();
    const { location } = await answerTo(origin, { redirect_uri: `http://127.0.0.1${port}/callback` });
    expect(location).toMatch(/\/oauth\/consent\//);
  });
});
