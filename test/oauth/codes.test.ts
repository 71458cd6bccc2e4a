import { describe, expect, test } from 'vitest';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import {
  authorizationPath,
  authorize,
  login,
  proof,
  REDIRECT_URI,
  redeem,
  refresh,
  tokensIn,
} from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';
import { ask as askMcp } from '#test/mcp/agents.ts';

issueOwnTokens();

/** Registers an application as its own client. Returns its client id. */
async function register(origin: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const metadata = JSON.stringify({ client_name: 'Other', redirect_uris: [REDIRECT_URI] });
  const { body } = await client(origin).send('POST', '@/api/auth/oauth2/register', metadata, { headers });
  return String(body.client_id);
}

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
    const clientId = await register(stage.origin);
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

type ResourceOf = (origin: string) => string | undefined;

const inCapitals = (origin: string): string => origin.replace('http', 'HTTP').replace('localhost', 'LOCALHOST');

describe('The resource of a request', () => {
  test.each<readonly [name: string, resourceOf: ResourceOf, place: string]>([
    ['of the MCP server', (origin) => `${origin}/mcp`, 'the MCP server'],
    ['of the MCP server with a slash', (origin) => `${origin}/mcp/`, 'the MCP server'],
    ['of the MCP server in capitals', (origin) => `${inCapitals(origin)}/mcp`, 'the MCP server'],
    ['of the origin with a slash', (origin) => `${origin}/`, 'the MCP server'],
    ['of the origin in capitals', inCapitals, 'the MCP server'],
    ['that is absent', () => undefined, 'the MCP server'],
    ['of the REST API', (origin) => origin, 'the REST API'],
  ])('The resource %s leads a client that registered itself to a token for %s', async (_, resourceOf, place) => {
    const stage = await service();
    const clientId = await register(stage.origin);
    const account = await member(stage, 'member');
    const resource = resourceOf(stage.origin);
    const scopes = ['projects:read', 'offline_access'];
    const { code, proof: own } = await authorize(stage, { account, scopes, clientId, resource });
    const first = tokensIn(stage, await redeem(stage, code, own.verifier, { client_id: clientId, resource }));
    const renewed = tokensIn(stage, await refresh(stage, first.refreshToken, { client_id: clientId, resource }));
    for (const { accessToken, api } of [first, renewed]) {
      const statuses = [
        (await askMcp(stage.origin, accessToken, 'tools/list')).status,
        (await api.get('/projects')).status,
      ];
      expect(statuses).toEqual(place === 'the MCP server' ? [200, 401] : [401, 200]);
    }
  });

  test('is the REST API for our own command, if it names the origin in any of these ways or no resource', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    for (const resource of [stage.origin, `${stage.origin}/`, inCapitals(stage.origin), undefined]) {
      const { api } = await login(stage, { account, scopes: ['projects:read'], resource });
      expect((await api.get('/projects')).status).toBe(200);
    }
  });

  test('is refused if it is anything else', async () => {
    const stage = await service();
    const clientId = await register(stage.origin);
    const account = await member(stage, 'member');
    const wrong = ['/mcp//', '/mcp/x', '/MCP', '/mcp?x', '/mcp#x', '/v1', '//', '@evil.example', '.evil.example/mcp'];
    attack('OAuth', wrong.length);
    for (const rest of wrong) {
      const resource = stage.origin + rest;
      const own = proof();
      const path = authorizationPath(['results:read'], own.challenge, { client_id: clientId, resource });
      const { status, headers } = await (await signIn(stage, account)).get(path);
      expect({ resource, status, location: headers.get('location') }).toEqual({
        resource,
        status: 400,
        location: null,
      });
    }
  });
});

test('The answer of the token endpoint names all granted scopes, also those of OpenID Connect', async () => {
  const stage = await service();
  const account = await member(stage, 'member');
  const scopes = ['projects:read', 'results:read', 'openid', 'offline_access'];
  const { scopes: firstScopes, refreshToken } = await login(stage, { account, scopes });
  expect(firstScopes).toEqual(scopes);
  const renewed = tokensIn(stage, await refresh(stage, refreshToken));
  expect(renewed.scopes).toEqual(scopes);
  const fewer = tokensIn(stage, await refresh(stage, renewed.refreshToken, { scope: 'results:read' }));
  expect(fewer.scopes).toEqual(['results:read']);
});
