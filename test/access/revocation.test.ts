import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { changeRole, removeMember } from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { cases } from '#test/harness/cases.ts';
import type { Client } from '#test/harness/client.ts';
import { member, type Token, token } from '#test/harness/people.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;

const CLIENTS = 8;
/** The minimum number of requests before the revocation (`EARLY`) and after it (`LATE`). */
const EARLY = 16;
const LATE = Math.min(cases(1000, 40), 1000);

/**
 * Makes a change, such as a revocation, while requests are in flight. Returns the statuses of the requests that started
 * before the change was complete, and of those that started later.
 */
async function underTraffic(api: Client, change: () => Promise<unknown>) {
  const early: number[] = [];
  const late: number[] = [];
  const { promise: isUnderWay, resolve: underWay } = Promise.withResolvers<void>();
  let isOver = false;
  const traffic = Array.from({ length: CLIENTS }, async () => {
    while (late.length < LATE) {
      const seen = isOver ? late : early;
      seen.push((await api.get('/projects')).status);
      if (early.length >= EARLY) underWay();
    }
  });
  await Promise.race([isUnderWay, Promise.all(traffic)]);
  try {
    await change();
  } finally {
    isOver = true;
  }
  await Promise.all(traffic);
  return { early, late };
}

async function expectInForce(api: Client, change: () => Promise<unknown>): Promise<void> {
  const { early, late } = await underTraffic(api, change);
  expect(early.slice(0, EARLY)).toEqual(Array.from({ length: EARLY }, () => 200));
  expect(late.length).toBeGreaterThanOrEqual(LATE);
  expect(late.filter((status) => status !== 401)).toEqual([]);
}

const events: readonly (readonly [string, (stage: Stage, one: Token) => Promise<unknown>])[] = [
  [
    'it was revoked',
    ({ services, organizationId }, { tokenId, owner }) =>
      revokePersonalToken(services, { organizationId, tokenId, actor: makePerson(owner) }),
  ],
  [
    'its owner was demoted',
    ({ services, organizationId }, { owner: { accountId } }) =>
      changeRole(services, { organizationId, accountId, role: 'actionsAdmin', actor: OPERATOR }),
  ],
  [
    'its owner was removed',
    ({ services, organizationId }, { owner: { accountId } }) =>
      removeMember(services, { organizationId, accountId, actor: OPERATOR }),
  ],
  [
    'its organization was deactivated',
    ({ services, organizationId }) => deactivateOrganization(services, { organizationId, actor: OPERATOR }),
  ],
];

describe('§5.2 The revocation of a personal token', () => {
  test.each(events)(
    'All requests with a token fail after %s, even with other requests in flight',
    async (_, happens) => {
      const stage = await service();
      await member(stage, 'admin');
      const created = await token(stage);
      await expectInForce(created.api, () => happens(stage, created));
    },
  );
});

describe('§5.1 The deletion of an API key', () => {
  test('All requests with a key fail after it was deleted, even with other requests in flight', async () => {
    const { services, organizationId, keys, api } = await service();
    const scope = { organizationId, actor: OPERATOR };
    const known = await listApiKeys(services, scope);
    const keyId = known.find(({ lastFour }) => keys.readWrite.endsWith(lastFour))?.keyId ?? '';
    await expectInForce(api, () => deleteApiKey(services, { ...scope, keyId }));
  });
});
