import { expect, test } from 'vitest';
import { put } from '#shared/engine/table/writes.ts';
import {
  getGrantsSpan,
  getOrganizationGrantsSpan,
  grants,
  grantsOfAccount,
  type ListedGrant,
  removeGrant,
} from '#shared/model/oauth/oauth-grant.ts';
import { service } from '#test/harness/service.ts';

const listed = (accountId: string, organizationId: string, createdAt: number): ListedGrant => ({
  hash: crypto.randomUUID(),
  accountId,
  organizationId,
  clientId: 'editor',
  resource: 'https://rundown.example',
  scopes: ['results:read'],
  createdAt,
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
});

test('grants of an account are listed by organization and time, without grants of organizations and accounts with similar ids', async () => {
  const { services } = await service();
  const account = crypto.randomUUID();
  const own = [listed(account, 'o1', 2), listed(account, 'o1', 10), listed(account, 'o2', 1)];
  const others = [listed(account, 'o10', 1), listed(`${account}0`, 'o1', 1), listed(`${account}#GRANT`, 'o1', 1)];
  const { table } = services;
  await table.writeMany([...own, ...others].map((one) => put(grantsOfAccount, one)));
  const inOrganization = await table.queryAll(
    grantsOfAccount,
    getOrganizationGrantsSpan({ accountId: account, organizationId: 'o1' }),
  );
  expect(inOrganization).toMatchObject(own.slice(0, 2));
  expect(inOrganization).toHaveLength(2);
  const all = await table.queryAll(grantsOfAccount, getGrantsSpan({ accountId: account }));
  expect(all.map(({ organizationId }) => organizationId)).toEqual(['o1', 'o1', 'o10', 'o2']);
});

test('a removed grant is neither found nor listed', async () => {
  const { services } = await service();
  const grant = listed(crypto.randomUUID(), 'o1', 1);
  const { table } = services;
  await table.writeMany([put(grants, { ...grant, payload: '{}' }), put(grantsOfAccount, grant)]);
  expect(await table.transact(removeGrant(grant))).toBe(true);
  expect(await table.get(grants, grant)).toBeUndefined();
  expect(await table.queryAll(grantsOfAccount, getGrantsSpan(grant))).toEqual([]);
});
