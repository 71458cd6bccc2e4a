/**
 * §5 An invitation creates an account for whoever opens its link, and the inviting Admin is the first to have that
 * link. An import creates accounts for the addresses that an archive names. So the address counts as unproven, and the
 * account belongs to the organization of the invitation or archive, until the operator gives the owner of the address a
 * sign-in link.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { Account, Origin } from '#shared/model/organizations/account.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { loadActorNames } from './actor-names.ts';
import { addressNotProven, belongsToAnother } from './errors.ts';

/** How the account was created, if that came from another organization and the address is still unproven. */
const findForeignOrigin = ({ unproven }: Account, organizationId?: string): Origin | undefined =>
  unproven && unproven.organizationId !== organizationId ? unproven : undefined;

/** Throws 409 if the account belongs to another organization until its address is proven. */
export function requireProven(account: Account, organizationId: string): void {
  if (findForeignOrigin(account, organizationId)) throw addressNotProven();
}

interface Appointment {
  /** The organization that the account is added to. Absent while that organization is being created. */
  readonly organizationId?: string | undefined;
  /** The organization whose invitation created the account, if the operator confirms that they know the holder. */
  readonly invitedBy?: string | undefined;
}

/** Throws 409, with the origin of the account, if its holder may be a stranger to the operator. */
export async function requireKnownHolder(
  services: WithTable,
  account: Account,
  { organizationId, invitedBy }: Appointment,
): Promise<void> {
  const origin = findForeignOrigin(account, organizationId);
  if (origin && origin.organizationId !== invitedBy)
    throw belongsToAnother(account.email, await describeOrigin(services, origin));
}

/** Such as `by an invitation of Acme (3f…) from Kim Roe on 2026-11-02`, or `by the import of ...`. */
export async function describeOrigin({ table }: WithTable, origin: Origin): Promise<string> {
  const { invitedBy } = origin;
  const [organization, nameOf] = await Promise.all([
    table.get(organizations, origin, { consistent: true }),
    loadActorNames({ table }, invitedBy === undefined ? [] : [invitedBy]),
  ]);
  const [day] = new Date(origin.at).toISOString().split('T');
  const name = `${organization?.name ?? 'a deleted organization'} (${origin.organizationId})`;
  return invitedBy === undefined
    ? `by the import of ${name} on ${day}`
    : `by an invitation of ${name} from ${nameOf(invitedBy)} on ${day}`;
}
