import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { addMember, removeMember } from '#shared/organizations/members.ts';
import { authorize, login, redeem, refresh, revoke, tokensIn } from '#test/harness/oauth.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;
const refused = { status: 400, body: { error: 'invalid_grant' } };

async function signedIn() {
  const stage = await service();
  const account = await member(stage, 'member');
  const scopes = ['results:read', 'projects:read', 'offline_access'];
  return { stage, account, ...(await login(stage, { account, scopes })) };
}

describe('§5.3 Renewal', () => {
  test('returns a new access token of the same grant, and a new refresh token', async () => {
    const { stage, account, accessToken, refreshToken } = await signedIn();
    clock.advance(2 * 3600 * SECOND);
    const renewed = tokensIn(stage, await refresh(refreshToken));
    expect(renewed.refreshToken).not.toBe(refreshToken);
    const { iat = 0, jti, ...before } = decodeJwt(accessToken);
    const now = iat + 7200;
    expect(decodeJwt(renewed.accessToken)).toEqual({ ...before, jti: expect.any(String), iat: now, exp: now + 3600 });
    expect(decodeJwt(renewed.accessToken).jti).not.toBe(jti);
    expect((await renewed.api.get('/me')).body.data.accountId).toBe(account.accountId);
  });

  test('with a used refresh token revokes its whole family', async () => {
    const { stage, refreshToken: first } = await signedIn();
    const { refreshToken: second } = tokensIn(stage, await refresh(first));
    const { refreshToken: third } = tokensIn(stage, await refresh(second));
    expect(await refresh(first)).toMatchObject(refused);
    expect(await refresh(third)).toMatchObject(refused);
  });

  test('never revokes families of other sign-ins', async () => {
    const { stage, account, refreshToken } = await signedIn();
    const other = await login(stage, { account, scopes: ['results:read', 'offline_access'] });
    await refresh(refreshToken);
    expect(await refresh(refreshToken)).toMatchObject(refused);
    expect((await refresh(other.refreshToken)).status).toBe(200);
  });

  test('may reduce the scopes, and later get all granted ones again', async () => {
    const { stage, refreshToken } = await signedIn();
    const less = tokensIn(stage, await refresh(refreshToken, { scope: 'results:read' }));
    expect(decodeJwt(less.accessToken)['scope']).toBe('results:read');
    expect((await less.api.get('/projects')).body).toMatchObject({ code: 'insufficient_scope' });
    const all = tokensIn(stage, await refresh(less.refreshToken));
    expect(decodeJwt(all.accessToken)['scope']).toBe('results:read projects:read');
  });

  test.each(['runs:write', 'results:read runs:write', 'everything'])(
    'refuses scopes that were not granted (%s), and keeps the refresh token valid',
    async (scope) => {
      const { refreshToken } = await signedIn();
      expect(await refresh(refreshToken, { scope })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
      expect((await refresh(refreshToken)).status).toBe(200);
    },
  );

  test('refuses another resource', async () => {
    const { stage, refreshToken } = await signedIn();
    expect(await refresh(refreshToken, { resource: `${stage.origin}/mcp` })).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    });
  });

  test('issues a token for either resource if both were granted', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const both = [stage.origin, `${stage.origin}/mcp`];
    const { code, proof } = await authorize(stage, {
      account,
      scopes: ['results:read', 'offline_access'],
      resource: both,
    });
    const [api, mcp] = both;
    const first = tokensIn(stage, await redeem(code, proof.verifier));
    expect(decodeJwt(first.accessToken).aud).toBe(api);
    const second = tokensIn(stage, await refresh(first.refreshToken, { resource: mcp }));
    expect(decodeJwt(second.accessToken).aud).toBe(mcp);
  });
});

describe('§5.3 Renewal is refused', () => {
  test('after the refresh token was revoked, while the access token stays valid for its hour', async () => {
    const { api, refreshToken } = await signedIn();
    expect((await revoke(refreshToken)).status).toBe(200);
    expect(await refresh(refreshToken)).toMatchObject(refused);
    expect((await api.get('/projects')).status).toBe(200);
    clock.advance(3600 * SECOND + 61 * SECOND);
    expect((await api.get('/projects')).status).toBe(401);
  });

  test.each(['first', 'last'] as const)(
    'for the whole family after its %s refresh token was revoked',
    async (which) => {
      const { stage, refreshToken: first } = await signedIn();
      const { refreshToken: last } = tokensIn(stage, await refresh(first));
      await revoke({ first, last }[which]);
      expect(await refresh(last)).toMatchObject(refused);
    },
  );

  test('14 days after the previous renewal', async () => {
    const { stage, refreshToken } = await signedIn();
    clock.advance(13 * DAY);
    const again = tokensIn(stage, await refresh(refreshToken));
    clock.advance(14 * DAY + SECOND);
    expect(await refresh(again.refreshToken)).toMatchObject(refused);
  });

  test('30 days after the sign-in, however often the token was renewed', async () => {
    const { stage, refreshToken } = await signedIn();
    let latest = refreshToken;
    for (let times = 0; times < 3; times += 1) {
      clock.advance(9 * DAY);
      latest = tokensIn(stage, await refresh(latest)).refreshToken;
    }
    clock.advance(3 * DAY + SECOND);
    expect(await refresh(latest)).toMatchObject(refused);
  });

  test('after the membership ended, even after a new membership', async () => {
    const { stage, account, refreshToken } = await signedIn();
    const of = { organizationId: stage.organizationId, accountId: account.accountId, actor: OPERATOR };
    clock.advance(SECOND);
    await removeMember(stage.services, of);
    expect(await refresh(refreshToken)).toMatchObject(refused);
    await addMember(stage.services, { ...of, role: 'admin' });
    expect(await refresh(refreshToken)).toMatchObject(refused);
  });

  test('after the organization was deactivated', async () => {
    const { stage, refreshToken } = await signedIn();
    await deactivateOrganization(stage.services, { organizationId: stage.organizationId, actor: OPERATOR });
    expect(await refresh(refreshToken)).toMatchObject(refused);
  });
});

describe('§5.3 Renewal still works', () => {
  test('after another client or an unknown token was used for revocation', async () => {
    const { refreshToken } = await signedIn();
    expect((await revoke(refreshToken, { client_id: 'somebody' })).status).toBe(401);
    expect((await revoke('no token')).status).toBe(200);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  test('after a revocation of the access token, which is refused', async () => {
    const { accessToken, refreshToken } = await signedIn();
    expect(await revoke(accessToken)).toMatchObject({ status: 400, body: { error: 'unsupported_token_type' } });
    expect((await refresh(refreshToken)).status).toBe(200);
  });
});
