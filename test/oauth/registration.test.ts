import { describe, expect, test } from 'vitest';
import { client } from '#test/harness/client.ts';
import { REDIRECT_URI } from '#test/harness/own-issuer.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';

issueOwnTokens();

const register = (origin: string, metadata: unknown) =>
  client(origin).send('POST', '@/api/auth/oauth2/register', JSON.stringify(metadata), {
    headers: { 'content-type': 'application/json' },
  });

describe('A registration', () => {
  test('takes the name and the redirect URIs, and drops everything else', async () => {
    const { origin } = await service();
    const { status, body } = await register(origin, {
      client_name: 'Tool\u202e of\nmine',
      redirect_uris: [REDIRECT_URI],
      scope: 'results:read',
      jwks_uri: 'http://169.254.169.254/',
      logo_uri: 'http://169.254.169.254/',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['implicit'],
      client_secret: 'x',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_id: expect.any(String),
      client_name: 'Tool<U+202E> of mine',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    });
    for (const name of ['scope', 'jwks_uri', 'logo_uri', 'client_secret', 'registration_access_token'])
      expect(body).not.toHaveProperty(name);
  });

  test.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['http://10.0.0.1/callback'],
    ['http://evil.example/callback'],
    ['https://user:secret@app.example/'],
    ['https://app.example/#x'],
    ['tool:/callback'],
    ['not a URL'],
  ])('with the redirect URI %s is refused', async (uri) => {
    const { origin } = await service();
    const answer = await register(origin, { redirect_uris: [uri] });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
  });
});
