/** §5.3 Lists and ends the grants of applications that act for a person. */
import type { Person } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { getGrantsSpan, grants, grantsOfAccount, type ListedGrant } from '#shared/model/oauth/oauth-grant.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { endGrant, listAccountGrants, planGrantRemoval } from '#shared/organizations/end-grants.ts';
import { makeDisconnectionRecord } from '#shared/organizations/grant-records.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';

/** The active grants of a person, grouped by organization, oldest first within each organization. */
export async function listOwnGrants(services: CoreServices, actor: Person): Promise<ListedGrant[]> {
  return keepActiveGrants(services, await listOwnEntries(services, actor));
}

/** A session of company sign-in shows those of its organization only. */
async function listOwnEntries({ table }: CoreServices, actor: Person): Promise<ListedGrant[]> {
  const company = actor.signIn?.company;
  const entries = await table.queryAll(grantsOfAccount, getGrantsSpan(actor), { consistent: true });
  return company ? entries.filter(({ organizationId }) => organizationId === company.organizationId) : entries;
}

export interface HolderRequest extends OrganizationRequest {
  /** The account that the applications act for. */
  readonly accountId: string;
}

export async function listMemberGrants(services: CoreServices, request: HolderRequest): Promise<ListedGrant[]> {
  await authorizeRead(services, request, 'grants:listAll');
  return keepActiveGrants(services, await listAccountGrants(services, request));
}

/** If the deletion of a grant was interrupted, its entry may still be in the list. */
async function keepActiveGrants({ table }: CoreServices, entries: readonly ListedGrant[]): Promise<ListedGrant[]> {
  const storedGrants = await table.getMany(grants, entries, { consistent: true });
  return entries.filter((_, index) => storedGrants[index] !== undefined);
}

/** Ends a grant of the person permanently, even in an organization that the person has left. */
export async function revokeOwnGrant(
  services: CoreServices,
  { actor, hash }: { readonly actor: Person; readonly hash: string },
): Promise<void> {
  const entries = await listOwnEntries(services, actor);
  const grant = entries.find((one) => one.hash === hash) ?? refuse(notFound('Application'));
  await endGrant(services, { actor, action: 'grants:revokeOwn' }, grant);
}

export async function revokeOwnGrants(services: CoreServices, actor: Person): Promise<void> {
  const entries = await listOwnEntries(services, actor);
  await mapConcurrently(entries, (grant) => endGrant(services, { actor, action: 'grants:revokeOwn' }, grant));
}

export function revokeMemberGrant(
  services: CoreServices,
  request: HolderRequest & { readonly hash: string },
): Promise<void> {
  return changeOrganization(services, { ...request, action: 'grants:revokeAny' }, async () => {
    const entries = await listAccountGrants(services, request);
    const grant = entries.find(({ hash }) => hash === request.hash) ?? refuse(notFound('Application'));
    return { result: undefined, writes: planGrantRemoval(grant), record: makeDisconnectionRecord(grant) };
  });
}
