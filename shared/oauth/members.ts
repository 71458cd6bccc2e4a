import { lookup } from '#shared/engine/table/found.ts';
import { memberships } from '#shared/model/membership.ts';
import { organizations } from '#shared/model/organization.ts';
import type { Services } from '#shared/services.ts';

interface Holder {
  readonly organizationId: string;
  readonly accountId: string;
  /** The time of consent in milliseconds. */
  readonly grantedAt: number;
}

/** Whether the person belongs to the active organization since before they gave consent. */
export async function isStillMember({ table }: Pick<Services, 'table'>, holder: Holder): Promise<boolean> {
  const organizationLookup = lookup(organizations, holder);
  const membershipLookup = lookup(memberships, holder);
  const found = await table.getTogether([organizationLookup, membershipLookup], { consistent: true });
  const organization = found.of(organizationLookup);
  const membership = found.of(membershipLookup);
  if (!organization || organization.deactivatedAt !== undefined || !membership) return false;
  return membership.startedAt <= holder.grantedAt;
}
