/** Writes a grant to the table, as the authorization server does. */
import { OPERATOR } from '#shared/access/actor.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { grants, grantsOfAccount, type ListedGrant } from '#shared/model/oauth/oauth-grant.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;

const DAY_SECONDS = 24 * 60 * 60;

export async function givenGrant(
  { services, organizationId, origin }: Stage,
  { accountId }: Pick<Account, 'accountId'>,
  more: Partial<ListedGrant> = {},
): Promise<ListedGrant> {
  const now = services.now();
  const grant: ListedGrant = {
    hash: services.randomId(64),
    accountId,
    organizationId,
    clientId: 'https://agent.example/client.json',
    clientName: 'Rundown',
    resource: `${origin}/mcp`,
    scopes: ['results:read'],
    createdAt: now,
    expiresAt: Math.floor(now / 1000) + 30 * DAY_SECONDS,
    ...more,
  };
  const { hash, clientId, createdAt, expiresAt } = grant;
  const row = { hash, accountId, organizationId: grant.organizationId, clientId, createdAt, expiresAt, payload: '{}' };
  await services.table.transact([put(grants, row, ABSENT), put(grantsOfAccount, grant, ABSENT)]);
  return grant;
}

/** Whether the tokens of the grant can still be refreshed. */
export const isAlive = async ({ services }: Stage, { hash }: Pick<ListedGrant, 'hash'>): Promise<boolean> =>
  (await services.table.get(grants, { hash }, { consistent: true })) !== undefined;

/** The audit records of ended grants, as subject, actor and detail. */
export async function endingsOf({ services, organizationId }: Stage) {
  const { records } = await readAudit(services, { organizationId, actor: OPERATOR, limit: 50 });
  return records
    .filter(({ action }) => action === 'application disconnected')
    .map(({ subject, actor, detail }) => ({ subject, actor, detail }));
}
