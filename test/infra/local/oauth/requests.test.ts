import { describe, expect, test } from 'vitest';
import { browser, left, shown } from '#test/harness/browser.ts';
import { authorizationUrl, authorize, issuerOrigin, login, proof, redeem, refresh } from '#test/harness/oauth.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';

const open = (more: Readonly<Record<string, string | undefined>>) =>
  browser(issuerOrigin()).open(authorizationUrl(['results:read'], proof().challenge, more));

/** Parameters of the redirect that refuses a request without showing a page. */
async function refusalOf(more: Readonly<Record<string, string | undefined>>) {
  const { search, hash } = left(await open(more));
  return Object.fromEntries(new URLSearchParams(search || hash.slice(1)));
}

describe('§5.3 An authorization request is refused by redirect', () => {
  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a challenge without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['with the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token in the redirect', { response_type: 'token' }, 'invalid_request'],
    ['for an ID token in the redirect', { response_type: 'id_token', nonce: 'n' }, 'invalid_request'],
    ['for a code and an ID token', { response_type: 'code id_token', nonce: 'n' }, 'invalid_request'],
    ['for the response type none', { response_type: 'none' }, 'unsupported_response_type'],
    ['for a code in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['for a foreign resource', { resource: 'https://api.example.com' }, 'invalid_target'],
    ['for a resource that is no URI', { resource: 'results' }, 'invalid_target'],
    ['without a scope', { scope: undefined }, 'invalid_scope'],
    ['with unknown scopes only', { scope: 'everything admin' }, 'invalid_scope'],
    ['with no scope of the API', { scope: 'openid offline_access' }, 'invalid_scope'],
    ['with prompt=none', { prompt: 'none' }, 'login_required'],
  ])('%s', async (_, more, error) => {
    await service();
    const { error: code, error_description, iss, state } = await refusalOf(more);
    expect({ code, iss, state }).toEqual({ code: error, iss: issuerOrigin(), state: 'of the test' });
    expect(error_description).toBeTruthy();
  });

  test('with the response mode form_post, which a page could read', async () => {
    await service();
    const { status, html } = shown(await open({ response_mode: 'form_post' }));
    expect(status).toBe(400);
    expect(html).toContain('value="invalid_request"');
  });

  test.each(['/', '/v1', '/mcp/', '/MCP'])('for %s below the origin of the API, which is no resource', async (path) => {
    const { origin } = await service();
    expect((await refusalOf({ resource: origin + path }))['error']).toBe('invalid_target');
  });
});

describe('§5.3 A redirect address', () => {
  test.each([
    'http://127.0.0.1:51999/other',
    'http://127.0.0.1:51999/callback/',
    'http://127.0.0.1:51999/callback?next=1',
    'http://127.0.0.1:51999/callback/../x',
    'http://127.0.0.1:51999/Callback',
    'http://user@127.0.0.1:51999/callback',
    'http://127.0.0.1.example.com:51999/callback',
    'http://localhost:51999/callback',
    'https://127.0.0.1:51999/callback',
    'https://example.com/callback',
    'javascript:alert(1)//127.0.0.1/callback',
  ])('%s is refused on a page with advice', async (redirect_uri) => {
    await service();
    const page = shown(await open({ redirect_uri }));
    expect({ status: page.status, text: page.text }).toEqual({
      status: 400,
      text: expect.stringContaining('Use http://127.0.0.1:<any port>/callback, written exactly so.'),
    });
  });

  test('of an unknown client is refused on a page with advice', async () => {
    await service();
    expect(shown(await open({ client_id: 'somebody' })).text).toContain('use client_id=rundown-cli');
  });

  test.each(['http://127.0.0.1:1/callback', 'http://127.0.0.1/callback', 'http://127.0.0.1:65535/callback'])(
    '%s is accepted, because any port is',
    async (redirect_uri) => {
      await service();
      expect(shown(await open({ redirect_uri })).status).toBe(200);
    },
  );
});

describe('§5.3 A code is refused', () => {
  const signedIn = async () => {
    const stage = await service();
    const account = await member(stage, 'guest');
    return { stage, ...(await authorize(stage, { account, scopes: ['results:read', 'offline_access'] })) };
  };
  const refused = { status: 400, body: { error: 'invalid_grant', error_description: 'grant request is invalid' } };

  test.each([
    ['without a verifier', undefined],
    ['with another verifier', proof().verifier],
    ['with its challenge as the verifier', 'challenge'],
  ])('%s', async (_, verifier) => {
    const { code, proof: own } = await signedIn();
    const given = verifier === 'challenge' ? own.challenge : verifier;
    expect(await redeem(code, given)).toMatchObject(refused);
  });

  test('for another redirect address', async () => {
    const { code, proof: own } = await signedIn();
    const redirect_uri = 'http://127.0.0.1:52000/callback';
    expect(await redeem(code, own.verifier, { redirect_uri })).toMatchObject(refused);
  });

  test('for another resource', async () => {
    const { stage, code, proof: own } = await signedIn();
    const answer = await redeem(code, own.verifier, { resource: `${stage.origin}/mcp` });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  test('for another client', async () => {
    const { code, proof: own } = await signedIn();
    expect(await redeem(code, own.verifier, { client_id: 'somebody' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  test('a minute after it was issued', async () => {
    const { code, proof: own } = await signedIn();
    clock.advance(61_000);
    expect(await redeem(code, own.verifier)).toMatchObject(refused);
  });

  test('when it is used again, which also revokes its refresh token', async () => {
    const { code, proof: own } = await signedIn();
    const first = await redeem(code, own.verifier);
    expect(first.status).toBe(200);
    expect(await redeem(code, own.verifier)).toMatchObject(refused);
    expect(await refresh(first.body.refresh_token)).toMatchObject(refused);
  });
});

describe('§5.3 The token endpoint', () => {
  test.each(['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'])(
    'refuses the grant type %s',
    async (grant_type) => {
      await service();
      expect(await refresh('x', { grant_type })).toMatchObject({
        status: 400,
        body: { error: 'unsupported_grant_type' },
      });
    },
  );

  test('refuses a code as a refresh token, and a refresh token as a code', async () => {
    const stage = await service();
    const account = await member(stage, 'guest');
    const scopes = ['results:read', 'offline_access'];
    const { code } = await authorize(stage, { account, scopes });
    const { refreshToken } = await login(stage, { account, scopes });
    expect(await refresh(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await redeem(refreshToken, proof().verifier)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  test('offers no client registration', async () => {
    await service();
    const response = await fetch(new URL('/reg', issuerOrigin()), { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
  });
});
