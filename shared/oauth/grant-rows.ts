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
  return all.map((entry) => GrantDetails.safeParse(entry).data).find((details) => details !== undefined);
}

export const grantRows: Pick<Adapter, 'upsert' | 'find' | 'destroy'> = {
  async upsert(id, payload, expiresIn) {
    const { services } = getRequestState();
    const { parties, permissions } = parseGrant(payload);
    if (expiresIn === undefined) throw new Error('A grant needs a time after which it expires');
    const expiresAt = Math.floor(services.now() / 1000) + expiresIn;
    const fields = { ...parties, hash: hashToken(id), expiresAt };
    // `jti` is the id. Only its hash is stored, so that nobody who reads the table can use the grant.
    const { jti: _, ...storedPayload } = payload;
    const grant: Grant = { ...fields, payload: JSON.stringify(storedPayload) };
    const listedGrant: ListedGrant = { ...fields, ...permissions };
    const { organizationId, accountId } = parties;
    const change = { organizationId, actor: makePerson({ accountId }), action: 'grants:give' } as const;
    await changeOrganization(services, change, () => ({
      result: undefined,
      writes: [put(grants, grant), put(grantsOfAccount, listedGrant)],
      record: makeConnectionRecord(listedGrant),
    }));
  },
  async find(id) {
    const grant = await findGrant(getRequestState().services, id);
    if (!grant) return undefined;
    const payload: AdapterPayload = JSON.parse(grant.payload);
    return { ...payload, jti: id };
  },
  destroy: (id) => removeGrantById(getRequestState().services, id),
};

/** Whom a grant connects, and since when. */
type GrantParties = Pick<Grant, 'accountId' | 'organizationId' | 'clientId' | 'createdAt'>;

/** What a grant permits, as the list of applications shows it. */
type GrantPermissions = Pick<ListedGrant, 'clientName' | 'resource' | 'scopes'>;

function parseGrant(payload: AdapterPayload): {
  readonly parties: GrantParties;
  readonly permissions: GrantPermissions;
} {
  const details = findGrantDetails(payload.rar);
  const { accountId, clientId } = payload;
  const { resources, openid } = GrantScopes.parse(payload);
  const [grantedResource, ...otherResources] = Object.entries(resources);
  if (!details || !grantedResource || otherResources.length > 0 || accountId === undefined || clientId === undefined)
    throw new Error('A grant needs an account, a client, an organization and one resource');
  const { organizationId, grantedAt: createdAt, clientName } = details;
  const [resource, resourceScopes] = grantedResource;
  const scopes = [...resourceScopes.split(' '), ...(openid?.scope.split(' ') ?? [])].filter(Boolean);
  return { parties: { accountId, organizationId, clientId, createdAt }, permissions: { clientName, resource, scopes } };
}

/** `grantId` is the id that oidc-provider uses. */
const findGrant = ({ table }: WithClock, grantId: string): Promise<Grant | undefined> =>
  table.get(grants, { hash: hashToken(grantId) }, { consistent: true });

/** Ends a grant. */
export async function removeGrantById(services: WithClock, grantId: string): Promise<void> {
  const grant = await findGrant(services, grantId);
  if (grant) await services.table.writeMany(removeGrant(grant));
}

export async function recordRenewal(services: WithClock, grantId: string): Promise<void> {
  const grant = await findGrant(services, grantId);
  if (grant) await services.table.update(grantsOfAccount, grant, { set: [['renewedAt', services.now()]] }, PRESENT);
}
