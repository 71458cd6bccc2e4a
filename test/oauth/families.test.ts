import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { getGrantsSpan, grantsOfAccount, removeGrant } from '#shared/model/oauth/oauth-grant.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { addMember, leaveOrganization } from '#shared/organizations/members.ts';
import { cases } from '#test/harness/cases.ts';
import type { Answer } from '#test/harness/client.ts';
import { authorize, login, redeem, refresh, revoke, tokensIn } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, issueOwnTokens, service } from '#test/harness/service.ts';

issueOwnTokens();

const OFFLINE = ['results:read', 'offline_access'];
const AT_ONCE = 10;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type Stage = Awaited<ReturnType<typeof service>>;

const successes = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200);
const atOnce = <T>(act: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: AT_ONCE }, act));
const rounds = (): number[] => Array.from({ length: cases(50, 1) }, (_, round) => round);

async function expectDead(stage: Stage, won: readonly Answer[]): Promise<void> {
  expect(won.length).toBeLessThanOrEqual(1);
  for (const answer of won) {
    const { refreshToken } = tokensIn(stage, answer);
    expect(await refresh(stage, refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  }
}

describe('Ten parallel uses', { timeout: 240_000 }, () => {
  test('Ten parallel uses of one authorization code give at most one token, and revoke all tokens of its family', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    for (const _ of rounds()) {
      const { code, proof } = await authorize(stage, { account, scopes: OFFLINE });
      await expectDead(stage, successes(await atOnce(() => redeem(stage, code, proof.verifier))));
    }
    expect(await stage.services.table.queryAll(grantsOfAccount, getGrantsSpan(account))).toEqual([]);
  });

  test('Ten parallel uses of one refresh token give at most one new token, and revoke all tokens of its family', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    for (const _ of rounds()) {
      const { refreshToken } = await login(stage, { account, scopes: OFFLINE });
      await expectDead(stage, successes(await atOnce(() => refresh(stage, refreshToken))));
    }
    expect(await stage.services.table.queryAll(grantsOfAccount, getGrantsSpan(account))).toEqual([]);
  });
});

describe('A refresh token', () => {
  test('works once: its second use also revokes the newer tokens', async () => {
    const stage = await service();
    const { refreshToken } = await login(stage, { account: await member(stage, 'member'), scopes: OFFLINE });
    const renewed = tokensIn(stage, await refresh(stage, refreshToken));
    expect((await refresh(stage, refreshToken)).status).toBe(400);
    expect((await refresh(stage, renewed.refreshToken)).status).toBe(400);
  });

  test('expires if it is not used, and at the latest after 30 days, when its grant expires', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const idle = await login(stage, { account, scopes: OFFLINE });
    let used = await login(stage, { account, scopes: OFFLINE });
    for (const days of [10, 10, 9]) {
      clock.advance(days * DAY);
      used = tokensIn(stage, await refresh(stage, used.refreshToken));
    }
    expect((await refresh(stage, idle.refreshToken)).status).toBe(400);
    clock.advance(DAY + MINUTE);
    expect((await refresh(stage, used.refreshToken)).status).toBe(400);
  });

  test('Revoking a refresh token also removes its grant', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const { refreshToken } = await login(stage, { account, scopes: OFFLINE });
    expect((await revoke(stage, refreshToken)).status).toBe(200);
    expect((await refresh(stage, refreshToken)).status).toBe(400);
    expect(await stage.services.table.queryAll(grantsOfAccount, getGrantsSpan(account))).toEqual([]);
  });

  test('Using a refresh token updates the renewal time of its grant, and removing the grant invalidates the new refresh token', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const { refreshToken } = await login(stage, { account, scopes: OFFLINE });
    clock.advance(5 * MINUTE);
    const renewed = tokensIn(stage, await refresh(stage, refreshToken));
    const [listed] = await stage.services.table.queryAll(grantsOfAccount, getGrantsSpan(account));
    expect(listed).toMatchObject({
      organizationId: stage.organizationId,
      clientId: 'rundown-cli',
      clientName: 'Rundown CLI',
      resource: stage.origin,
      scopes: OFFLINE,
      createdAt: Date.now() - 5 * MINUTE,
      renewedAt: Date.now(),
    });
    if (listed) await stage.services.table.transact(removeGrant(listed));
    expect((await refresh(stage, renewed.refreshToken)).status).toBe(400);
  });

  test('is invalid after its owner has left the organization, even if the owner joins again', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    await member(stage, 'admin');
    const { refreshToken } = await login(stage, { account, scopes: OFFLINE });
    const { services, organizationId } = stage;
    const { accountId } = account;
    await leaveOrganization(services, { organizationId, actor: makePerson(account) });
    clock.advance(1);
    await addMember(services, { organizationId, accountId, role: 'member', actor: OPERATOR });
    expect((await refresh(stage, refreshToken)).status).toBe(400);
  });

  test('is invalid after its organization has been deactivated', async () => {
    const stage = await service();
    const { refreshToken } = await login(stage, { account: await member(stage, 'member'), scopes: OFFLINE });
    await deactivateOrganization(stage.services, { organizationId: stage.organizationId, actor: OPERATOR });
    expect((await refresh(stage, refreshToken)).status).toBe(400);
  });
});

test('An authorization code expires after a minute', async () => {
  const stage = await service();
  const account = await member(stage, 'member');
  const { code, proof } = await authorize(stage, { account, scopes: ['results:read'] });
  clock.advance(MINUTE + 1000);
  expect((await redeem(stage, code, proof.verifier)).status).toBe(400);
});

test('A person gets a working token even within the second in which the person joined the organization', async () => {
  const stage = await service();
  const { api } = await login(stage, { account: await member(stage, 'member'), scopes: ['projects:read'] });
  expect((await api.get('/projects')).status).toBe(200);
});
