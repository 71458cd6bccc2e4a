/** §5.3 Lists and ends the grants of applications that act for a person. */
import type { Person } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { getGrantsSpan, grants, grantsOfAccount, type ListedGrant } from '#shared/model/organizations/oauth-grant.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { endGrant, listedGrants, withoutGrant } from '#shared/organizations/end-grants.ts';
import { disconnectionOf } from '#shared/organizations/grant-records.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';

/** The active grants of a person, grouped by organization, oldest first within each organization. */
export async function listOwnGrants(services: CoreServices, actor: Person): Promise<ListedGrant[]> {
  const listed = await services.table.queryAll(grantsOfAccount, getGrantsSpan(actor), { consistent: true });
  return living(services, listed);
}

export interface HolderRequest extends OrganizationRequest {
  /** The account that the applications act for. */
  readonly accountId: string;
}

/** The active grants of a member, for Admins and the operator. */
export async function listGrantsOf(services: CoreServices, request: HolderRequest): Promise<ListedGrant[]> {
  await authorizeRead(services, request, 'grants:listAll');
  return living(services, await listedGrants(services, request));
}

/**
 * Filters out grants that have ended. If the deletion of a grant was interrupted, its entry may still be in the list.
 */
async function living({ table }: CoreServices, listed: readonly ListedGrant[]): Promise<ListedGrant[]> {
  const found = await table.getMany(grants, listed, { consistent: true });
  return listed.filter((_, index) => found[index] !== undefined);
}

/** Ends a grant of the person permanently, even in an organization that the person has left. */
export async function revokeOwnGrant(
  services: CoreServices,
  { actor, hash }: { readonly actor: Person; readonly hash: string },
): Promise<void> {
  const listed = await services.table.queryAll(grantsOfAccount, getGrantsSpan(actor), { consistent: true });
  const grant = listed.find((one) => one.hash === hash) ?? refuse(notFound('Application'));
  await endGrant(services, { actor, action: 'grants:revokeOwn' }, grant);
}

/** Ends all grants of the person in all organizations. */
export async function revokeOwnGrants(services: CoreServices, actor: Person): Promise<void> {
  const listed = await services.table.queryAll(grantsOfAccount, getGrantsSpan(actor), { consistent: true });
  await mapConcurrently(listed, (grant) => endGrant(services, { actor, action: 'grants:revokeOwn' }, grant));
}

/** Ends a grant of a member, on behalf of an Admin or the operator. */
export function revokeGrantOf(
  services: CoreServices,
  request: HolderRequest & { readonly hash: string },
): Promise<void> {
  return changeOrganization(services, { ...request, action: 'grants:revokeAny' }, async () => {
    const listed = await listedGrants(services, request);
    const grant = listed.find(({ hash }) => hash === request.hash) ?? refuse(notFound('Application'));
    return { result: undefined, writes: withoutGrant(grant), record: disconnectionOf(grant) };
  });
}
