import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { getGrantsSpan, grantsOfAccount, removeGrant } from '#shared/model/oauth/oauth-grant.ts';
import { OAUTH_LIMITS } from '#shared/oauth/limits.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { addMember, leaveOrganization } from '#shared/organizations/members.ts';
import { cases } from '#test/harness/cases.ts';
import { type Answer, client } from '#test/harness/client.ts';
import { authorize, login, REDIRECT_URI, redeem, refresh, revoke, tokensIn } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, issueOwnTokens, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

issueOwnTokens();

const OFFLINE = ['results:read', 'offline_access'];
const AT_ONCE = 10;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const GRACE = OAUTH_LIMITS.renewalGraceMilliseconds;

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
  test('of one authorization code give at most one token, and revoke all tokens of its family', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    for (const _ of rounds()) {
      const { code, proof } = await authorize(stage, { account, scopes: OFFLINE });
      await expectDead(stage, successes(await atOnce(() => redeem(stage, code, proof.verifier))));
    }
    expect(await stage.services.table.queryAll(grantsOfAccount, getGrantsSpan(account))).toEqual([]);
  });

  test('of one refresh token, as by several processes of one agent, give the same new token, which works', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    for (const _ of rounds()) {
      const { refreshToken } = await login(stage, { account, scopes: OFFLINE });
      const answers = successes(await atOnce(() => refresh(stage, refreshToken)));
      expect(answers).toHaveLength(AT_ONCE);
      const [renewed = '', ...others] = new Set(answers.map((answer) => tokensIn(stage, answer).refreshToken));
      expect(others).toEqual([]);
      clock.advance(HOUR);
      expect((await refresh(stage, renewed)).status).toBe(200);
    }
  });
});

describe('A refresh token', () => {
  test('yields the same token again within 30 seconds of its first use, so that a lost answer can be repeated, and a later use also revokes the newer tokens', async () => {
    const stage = await service();
    const { refreshToken } = await login(stage, { account: await member(stage, 'member'), scopes: OFFLINE });
    const renewed = tokensIn(stage, await refresh(stage, refreshToken));
    clock.advance(GRACE - 1);
    const repeated = tokensIn(stage, await refresh(stage, refreshToken));
    expect(repeated.refreshToken).toBe(renewed.refreshToken);
    expect((await repeated.api.get('/runs/none')).status).toBe(404);
    clock.advance(1);
    expect((await refresh(stage, refreshToken)).status).toBe(400);
    expect((await refresh(stage, renewed.refreshToken)).status).toBe(400);
  });

  test('yields the newest token of its family if its successor was used within those 30 seconds as well', async () => {
    const stage = await service();
    const { refreshToken } = await login(stage, { account: await member(stage, 'member'), scopes: OFFLINE });
    const second = tokensIn(stage, await refresh(stage, refreshToken));
    const third = tokensIn(stage, await refresh(stage, second.refreshToken));
    expect(tokensIn(stage, await refresh(stage, refreshToken)).refreshToken).toBe(third.refreshToken);
  });

  test('is never stored, and neither is its successor', async () => {
    const stage = await service();
    const { refreshToken } = await login(stage, { account: await member(stage, 'member'), scopes: OFFLINE });
    const renewed = tokensIn(stage, await refresh(stage, refreshToken));
    const rows = JSON.stringify(await itemsOf(stage.environment, () => true));
    for (const token of [refreshToken, renewed.refreshToken]) expect(rows).not.toContain(token);
  });

  test('cannot be renewed by another client, even within those 30 seconds', async () => {
    const stage = await service();
    const { refreshToken } = await login(stage, { account: await member(stage, 'member'), scopes: OFFLINE });
    const renewed = tokensIn(stage, await refresh(stage, refreshToken));
    const metadata = { redirect_uris: [REDIRECT_URI], client_name: 'Other' };
    const headers = { 'content-type': 'application/json' };
    const other = await client(stage.origin).send('POST', '@/api/auth/oauth2/register', JSON.stringify(metadata), {
      headers,
    });
    const { client_id } = other.body;
    expect((await refresh(stage, refreshToken, { client_id })).status).toBe(400);
    expect((await refresh(stage, renewed.refreshToken)).status).toBe(200);
  });

  test('is renewed by several processes that share it in any order within 30 seconds, hour after hour, without a forced sign-in', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    // When each process renews the token, in milliseconds after the first one, and whether it reads the token only then.
    const start = fc.oneof(fc.constantFrom(0, 1, GRACE - 1), fc.integer({ min: 0, max: GRACE - 1 }));
    const renewal = fc.record({ start, readsLate: fc.boolean() });
    const hours = fc.array(fc.array(renewal, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(hours, async (all) => {
      let { refreshToken: stored } = await login(stage, { account, scopes: OFFLINE });
      const store = async (used: string, times: number) => {
        const answers = await Promise.all(Array.from({ length: times }, () => refresh(stage, used)));
        for (const answer of answers) stored = tokensIn(stage, answer).refreshToken;
      };
      for (const others of all) {
        const sharedToken = stored;
        let time = 0;
        const early = others.filter(({ readsLate }) => !readsLate);
        for (const now of [...new Set([0, ...others.map((one) => one.start)])].sort((one, other) => one - other)) {
          clock.advance(now - time);
          time = now;
          const together = early.filter((one) => one.start === now).length + (now === 0 ? 1 : 0);
          if (together > 0) await store(sharedToken, together);
          if (others.some((one) => one.start === now && one.readsLate)) await store(stored, 1);
        }
        clock.advance(HOUR);
      }
    });
    await fc.assert(property, { numRuns: cases(20, 3) });
  });

  test('that a thief uses later than the agent, or before it, ends the access of both', async () => {
    const stage = await service();
    const account = await member(stage, 'member');
    const theft = fc.record({
      stolen: fc.integer({ min: 0, max: 2 }),
      renewals: fc.integer({ min: 0, max: 2 }),
      isThiefFirst: fc.boolean(),
      delay: fc.integer({ min: GRACE, max: HOUR }),
    });
    const property = fc.asyncProperty(theft, async ({ stolen, renewals, isThiefFirst, delay }) => {
      const tokens = [(await login(stage, { account, scopes: OFFLINE })).refreshToken];
      const renew = async () => {
        tokens.push(tokensIn(stage, await refresh(stage, tokens.at(-1) ?? '')).refreshToken);
        clock.advance(delay);
      };
      for (let renewal = 0; renewal < stolen; renewal += 1) await renew();
      const copy = tokens.at(-1) ?? '';
      if (isThiefFirst) {
        const taken = tokensIn(stage, await refresh(stage, copy)).refreshToken;
        clock.advance(delay);
        expect((await refresh(stage, copy)).status).toBe(400);
        expect((await refresh(stage, taken)).status).toBe(400);
      } else {
        for (let renewal = 0; renewal <= renewals; renewal += 1) await renew();
        expect((await refresh(stage, copy)).status).toBe(400);
        expect((await refresh(stage, tokens.at(-1) ?? '')).status).toBe(400);
      }
    });
    await fc.assert(property, { numRuns: cases(20, 4) });
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
