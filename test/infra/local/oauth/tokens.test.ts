import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { authorize, issuerFaults, issuerOrigin, login, redeem, tokensIn } from '#test/harness/oauth.ts';
import { member } from '#test/harness/people.ts';
import { clock, START, service } from '#test/harness/service.ts';

const Keys = z.object({ keys: z.array(z.record(z.string(), z.string())) });
const NOW = START.getTime() / 1000;

describe('§5.3 An access token of the local issuer', () => {
  test('is an RFC 9068 JWT for one organization, member, resource and hour', async () => {
    const stage = await service();
    const account = await member(stage, 'admin');
    const { accessToken } = await login(stage, { account, scopes: ['results:read', 'projects:read'] });
    expect(decodeProtectedHeader(accessToken)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(decodeJwt(accessToken)).toEqual({
      iss: issuerOrigin(),
      aud: stage.origin,
      sub: account.accountId,
      org_id: stage.organizationId,
      client_id: 'rundown-cli',
      scope: 'results:read projects:read',
      jti: expect.any(String),
      iat: NOW,
      exp: NOW + 3600,
    });
  });

  test('is signed with the published key, whose private part is not published', async () => {
    const stage = await service();
    const { accessToken } = await login(stage, { account: await member(stage, 'guest'), scopes: ['results:read'] });
    const url = new URL('/api/auth/oauth2/jwks', issuerOrigin());
    await jwtVerify(accessToken, createRemoteJWKSet(url), { typ: 'at+jwt', currentDate: START });
    const { keys } = Keys.parse(await (await fetch(url)).json());
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
  });

  test('is accepted by the service for an hour', async () => {
    const stage = await service();
    const account = await member(stage, 'guest');
    const { api } = await login(stage, { account, scopes: ['projects:read'] });
    expect((await api.get('/me')).body.data).toMatchObject({
      accountId: account.accountId,
      organization: { organizationId: stage.organizationId },
      role: 'guest',
    });
    expect((await api.get('/projects')).status).toBe(200);
    clock.advance(2 * 3600 * 1000);
    expect((await api.get('/projects')).status).toBe(401);
  });

  test('is accepted for a member who joined within the same second', async () => {
    const stage = await service();
    vi.useRealTimers();
    for (let round = 0; round < 3; round += 1) {
      const { api } = await login(stage, { account: await member(stage, 'guest'), scopes: ['results:read'] });
      expect((await api.get('/me')).status).toBe(200);
    }
  });

  test('of a member of two organizations belongs to the chosen one', async () => {
    const stage = await service();
    const account = await member(stage, 'admin');
    const other = { ...stage, ...(await stage.tenant('Umbrella')) };
    const theirs = await member(other, 'admin');
    const here = await login(stage, { account, scopes: ['results:read'] });
    const there = await login(other, { account: theirs, scopes: ['results:read'] });
    expect(decodeJwt(here.accessToken)).toMatchObject({ org_id: stage.organizationId, sub: account.accountId });
    expect(decodeJwt(there.accessToken)).toMatchObject({ org_id: other.organizationId, sub: theirs.accountId });
  });

  test('for the MCP resource is refused by the API', async () => {
    const stage = await service();
    const resource = `${stage.origin}/mcp`;
    const signIn = { account: await member(stage, 'admin'), scopes: ['results:read'], resource };
    const { accessToken, api } = await login(stage, signIn);
    expect(decodeJwt(accessToken).aud).toBe(resource);
    expect((await api.get('/me')).status).toBe(401);
  });

  test('has the requested scopes that exist, like the response', async () => {
    const stage = await service();
    const scopes = ['results:read', 'runs:write', 'shares:write', 'everything', 'offline_access'];
    const { accessToken, scopes: granted } = await login(stage, { account: await member(stage, 'guest'), scopes });
    expect(decodeJwt(accessToken)['scope']).toBe('results:read runs:write shares:write');
    expect(granted).toEqual(['results:read', 'runs:write', 'shares:write']);
  });
});

describe('§5.3 The token response has', () => {
  test('a refresh token for `offline_access`, without any other parameter', async () => {
    const stage = await service();
    const account = await member(stage, 'guest');
    const { refreshToken } = await login(stage, { account, scopes: ['results:read', 'offline_access'] });
    expect(refreshToken).toMatch(/^[\w-]{43}$/);
  });

  test('no refresh token otherwise', async () => {
    const stage = await service();
    const { refreshToken } = await login(stage, { account: await member(stage, 'guest'), scopes: ['results:read'] });
    expect(refreshToken).toBe('');
  });

  test('an ID token for `openid`, which identifies the member and is no access token', async () => {
    const stage = await service();
    const account = await member(stage, 'guest');
    const { code, proof } = await authorize(stage, { account, scopes: ['openid', 'results:read'] });
    const answer = await redeem(code, proof.verifier);
    expect(decodeJwt(answer.body.id_token)).toMatchObject({
      iss: issuerOrigin(),
      aud: 'rundown-cli',
      sub: account.accountId,
    });
    expect(decodeJwt(answer.body.access_token)['scope']).toBe('results:read');
    const { api } = tokensIn(stage, { ...answer, body: { ...answer.body, access_token: answer.body.id_token } });
    expect((await api.get('/me')).status).toBe(401);
    expect(issuerFaults).toEqual([]);
  });
});
