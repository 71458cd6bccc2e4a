/**
 * §5.3 A grant has a row that oidc-provider reads at each exchange and renewal, and one in the list of applications.
 */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { makePerson } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { PRESENT, put } from '#shared/engine/table/writes.ts';
import { type Grant, grants, grantsOfAccount, type ListedGrant, removeGrant } from '#shared/model/oauth/oauth-grant.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { makeConnectionRecord } from '#shared/organizations/grant-records.ts';
import type { WithClock } from '#shared/services.ts';
import { DETAILS, GrantDetails, GrantScopes } from './grant-wire.ts';
import { getRequestState } from './request-state.ts';

export const makeGrantDetails = (details: Omit<GrantDetails, 'type'>): GrantDetails => ({ type: DETAILS, ...details });

/** Finds the entry of this service among the authorization details (RFC 9396) of a grant. */
export function findGrantDetails(rar: unknown): GrantDetails | undefined {
  const all: readonly unknown[] = Array.isArray(rar) ? rar : [];
  return all.map((one) => GrantDetails.safeParse(one).data).find((details) => details !== undefined);
}

export const grantRows: Pick<Adapter, 'upsert' | 'find' | 'destroy'> = {
  async upsert(id, payload, expiresIn = 0) {
    const { services } = getRequestState();
    const listedGrant = toListedGrant(payload, {
      hash: hashToken(id),
      expiresAt: Math.floor(services.now() / 1000) + expiresIn,
    });
    const { jti: _, ...storedPayload } = payload;
    const { hash, accountId, organizationId, clientId, createdAt, expiresAt } = listedGrant;
    const grantFields = { hash, accountId, organizationId, clientId, createdAt, expiresAt };
    const grant: Grant = { ...grantFields, payload: JSON.stringify(storedPayload) };
    const change = { organizationId, actor: makePerson({ accountId }), action: 'grants:give' } as const;
    await changeOrganization(services, change, () => ({
      result: undefined,
      writes: [put(grants, grant), put(grantsOfAccount, listedGrant)],
      record: makeConnectionRecord(listedGrant),
    }));
  },
  async find(id) {
    const grant = await getRequestState().services.table.get(grants, { hash: hashToken(id) }, { consistent: true });
    if (!grant) return undefined;
    const payload: AdapterPayload = JSON.parse(grant.payload);
    return { ...payload, jti: id };
  },
  destroy: (id) => removeGrantById(getRequestState().services, id),
};

function toListedGrant(payload: AdapterPayload, ids: Pick<ListedGrant, 'hash' | 'expiresAt'>): ListedGrant {
  const details = findGrantDetails(payload.rar);
  const { accountId, clientId } = payload;
  const { resources, openid } = GrantScopes.parse(payload);
  const [grantedResource, ...more] = Object.entries(resources);
  if (!details || !grantedResource || more.length > 0 || accountId === undefined || clientId === undefined)
    throw new Error('A grant needs an account, a client, an organization and one resource');
  const { organizationId, grantedAt: createdAt, clientName } = details;
  const [resource, scopes] = grantedResource;
  return {
    ...ids,
    accountId,
    organizationId,
    clientId,
    clientName,
    resource,
    scopes: [...scopes.split(' '), ...(openid?.scope.split(' ') ?? [])].filter(Boolean),
    createdAt,
  };
}

/** Ends a grant. `grantId` is the id that oidc-provider uses. */
export async function removeGrantById({ table }: WithClock, grantId: string): Promise<void> {
  const grant = await table.get(grants, { hash: hashToken(grantId) }, { consistent: true });
  if (grant) await table.writeMany(removeGrant(grant));
}

export async function recordRenewal({ table, now }: WithClock, grantId: string): Promise<void> {
  const grant = await table.get(grants, { hash: hashToken(grantId) }, { consistent: true });
  if (grant) await table.update(grantsOfAccount, grant, { set: [['renewedAt', now()]] }, PRESENT);
}
