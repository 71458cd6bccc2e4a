/**
 * §5.3 The two rows of a grant. oidc-provider reads the first row at each token exchange and renewal. The second row is
 * an entry in the list of connected applications.
 */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { person } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { PRESENT, put } from '#shared/engine/table/writes.ts';
import {
  type Grant,
  grants,
  grantsOfAccount,
  type ListedGrant,
  removeGrant,
} from '#shared/model/organizations/oauth-grant.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { connectionOf } from '#shared/organizations/grant-records.ts';
import type { WithClock } from '#shared/services.ts';
import { DETAILS, GrantDetails, GrantScopes } from './grant-wire.ts';
import { currentState } from './request-state.ts';

export const detailsFor = (details: Omit<GrantDetails, 'type'>): GrantDetails => ({ type: DETAILS, ...details });

/** Finds the entry of this service among the authorization details (RFC 9396) of a grant. */
export function detailsIn(rar: unknown): GrantDetails | undefined {
  const all: readonly unknown[] = Array.isArray(rar) ? rar : [];
  return all.map((one) => GrantDetails.safeParse(one).data).find((details) => details !== undefined);
}

export const grantRows: Pick<Adapter, 'upsert' | 'find' | 'destroy'> = {
  async upsert(id, payload, expiresIn = 0) {
    const { services } = currentState();
    const listed = listedIn(payload, { hash: hashToken(id), expiresAt: Math.floor(services.now() / 1000) + expiresIn });
    const { jti: _, ...stored } = payload;
    const { hash, accountId, organizationId, clientId, createdAt, expiresAt } = listed;
    const own = { hash, accountId, organizationId, clientId, createdAt, expiresAt };
    const grant: Grant = { ...own, payload: JSON.stringify(stored) };
    const change = { organizationId, actor: person({ accountId }), action: 'grants:give' } as const;
    await changeOrganization(services, change, () => ({
      result: undefined,
      writes: [put(grants, grant), put(grantsOfAccount, listed)],
      record: connectionOf(listed),
    }));
  },
  async find(id) {
    const grant = await currentState().services.table.get(grants, { hash: hashToken(id) }, { consistent: true });
    if (!grant) return undefined;
    const payload: AdapterPayload = JSON.parse(grant.payload);
    return { ...payload, jti: id };
  },
  destroy: (id) => removeGrantOf(currentState().services, id),
};

function listedIn(payload: AdapterPayload, ids: Pick<ListedGrant, 'hash' | 'expiresAt'>): ListedGrant {
  const details = detailsIn(payload.rar);
  const { accountId, clientId } = payload;
  const { resources, openid } = GrantScopes.parse(payload);
  const [granted, ...more] = Object.entries(resources);
  if (!details || !granted || more.length > 0 || accountId === undefined || clientId === undefined)
    throw new Error('A grant needs an account, a client, an organization and one resource');
  const { organizationId, grantedAt: createdAt, clientName } = details;
  const [resource, scopes] = granted;
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
export async function removeGrantOf({ table }: WithClock, grantId: string): Promise<void> {
  const grant = await table.get(grants, { hash: hashToken(grantId) }, { consistent: true });
  if (grant) await table.writeMany(removeGrant(grant));
}

/** Records when an application last renewed its access, for the list of grants. */
export async function recordRenewal({ table, now }: WithClock, grantId: string): Promise<void> {
  const grant = await table.get(grants, { hash: hashToken(grantId) }, { consistent: true });
  if (grant) await table.update(grantsOfAccount, grant, { set: [['renewedAt', now()]] }, PRESENT);
}
