import { describe, expect, test } from 'vitest';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { authorize, login, proof, REDIRECT_URI, redeem, refresh } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';

issueOwnTokens();

describe('An authorization code', () => {
  test('can be redeemed only with the verifier of its PKCE challenge', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const { code, proof: own } = await authorize(stage, { account, scopes: ['results:read'] });
    const wrong = [proof().verifier, undefined, own.challenge, ''];
    attack('OAuth', wrong.length);
    for (const verifier of wrong) {
      const { status } = await redeem(stage, code, verifier);
      expect(status).toBe(400);
    }
    expect((await redeem(stage, code, own.verifier)).status).toBe(200);
  });

  test('works only for its client, redirect URI and resource', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const { code, proof: own } = await authorize(stage, { account, scopes: ['results:read'] });
    for (const more of [{ redirect_uri: `${REDIRECT_URI}x` }, { client_id: 'nobody' }]) {
      attack('OAuth');
      expect((await redeem(stage, code, own.verifier, more)).status).toBeGreaterThanOrEqual(400);
    }
    attack('OAuth');
    const other = await redeem(stage, code, own.verifier, { resource: `${stage.origin}/mcp` });
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  // With only one authorization server, a mix-up attack is possible only between applications.
  test('cannot be redeemed with the client id or the PKCE verifier of another application', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const headers = { 'content-type': 'application/json' };
    const metadata = JSON.stringify({ client_name: 'Other', redirect_uris: [REDIRECT_URI] });
    const other = await client(stage.origin).send('POST', '@/api/auth/oauth2/register', metadata, { headers });
    const { client_id: clientId } = other.body;
    const mine = await authorize(stage, { account, scopes: ['results:read'] });
    const theirs = await authorize(stage, { account, scopes: ['results:read'], clientId });
    const swapped = [
      redeem(stage, mine.code, mine.proof.verifier, { client_id: clientId }),
      redeem(stage, theirs.code, theirs.proof.verifier),
      redeem(stage, mine.code, theirs.proof.verifier),
    ];
    attack('OAuth', swapped.length);
    expect((await Promise.all(swapped)).map(({ status }) => status)).toEqual([400, 400, 400]);
    for (const { redirect } of [mine, theirs]) expect(redirect.searchParams.get('iss')).toBe(stage.origin);
  });

  test('A token request for two resources is refused', async () => {
    const { origin } = await service();
    const body = `grant_type=authorization_code&client_id=rundown-cli&resource=${origin}&resource=${origin}/mcp`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await client(origin).send('POST', '@/api/auth/oauth2/token', body, { headers });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  test('gives a token for its resource: the REST API accepts its own tokens, and refuses those for the MCP resource', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const rest = await login(stage, { account, scopes: ['projects:read'] });
    const mcp = await login(stage, { account, scopes: ['projects:read'], resource: `${stage.origin}/mcp` });
    expect((await rest.api.get('/projects')).status).toBe(200);
    expect((await mcp.api.get('/projects')).status).toBe(401);
  });

  test('gives a refresh token only if the application asked for offline access, and the token cannot be used for another resource', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const short = await login(stage, { account, scopes: ['results:read'] });
    const long = await login(stage, { account, scopes: ['results:read', 'offline_access'] });
    expect([short.refreshToken === '', long.refreshToken === '']).toEqual([true, false]);
    const other = await refresh(stage, long.refreshToken, { resource: `${stage.origin}/mcp` });
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });
});
