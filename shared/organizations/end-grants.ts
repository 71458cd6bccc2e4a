/**
 * §5.3 Ends the grants of applications when a membership ends or the organization is deactivated. Even if a call is
 * interrupted, the remaining grants cannot be renewed, because each renewal checks the membership.
 */
import { type Actor, CLEAN_UP } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { PRESENT, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import {
  getOrganizationGrantsSpan,
  grants,
  grantsOfAccount,
  type ListedGrant,
} from '#shared/model/oauth/oauth-grant.ts';
import { getMembersSpan, memberships } from '#shared/model/organizations/membership.ts';
import type { CoreServices } from '#shared/services.ts';
import { change } from './change.ts';
import { makeDisconnectionRecord } from './grant-records.ts';

type Holder = Pick<ListedGrant, 'organizationId' | 'accountId'>;

/** Idempotent: a repeated call ends the grants that an interrupted call did not reach. */
export async function endGrants(services: CoreServices, holder: Holder, cause: string): Promise<void> {
  const entries = await listAccountGrants(services, holder);
  await mapConcurrently(entries, (grant) =>
    endGrant(services, { actor: CLEAN_UP, action: 'grants:cleanUp' }, grant, cause),
  );
}

/** The listed grants of the account in the organization, which may include some that have ended. */
export const listAccountGrants = ({ table }: WithTable, holder: Holder): Promise<ListedGrant[]> =>
  table.queryAll(grantsOfAccount, getOrganizationGrantsSpan(holder), { consistent: true });

export async function endGrantsOfMembers(
  services: CoreServices,
  organization: Pick<Holder, 'organizationId'>,
  cause: string,
): Promise<void> {
  const members = await services.table.queryAll(memberships, getMembersSpan(organization), { consistent: true });
  await mapConcurrently(members, (member) => endGrants(services, member, cause));
}

interface Ending {
  readonly actor: Actor;
  readonly action: 'grants:cleanUp' | 'grants:revokeOwn';
}

/** Ends one grant. Returns false if the grant had already ended. */
export function endGrant(services: CoreServices, ending: Ending, grant: ListedGrant, cause?: string): Promise<boolean> {
  return change(services, ending, async () => {
    const isListed = await services.table.get(grantsOfAccount, grant, { consistent: true });
    if (!isListed) return { result: false };
    const { organizationId } = grant;
    return {
      result: true,
      writes: planGrantRemoval(grant),
      record: { organizationId, ...makeDisconnectionRecord(grant, cause) },
    };
  });
}

/** After an interrupted deletion, the list may still contain a grant that no longer exists. */
export const planGrantRemoval = (grant: ListedGrant): Write[] => [
  removeWhen(grantsOfAccount, grant, PRESENT),
  remove(grants, grant),
];
