/** §5 Plans what a transaction writes about a person of a directory: the entry, the membership and the account. */

import { isDeepStrictEqual } from 'node:util';
import { ABSENT, type Check, mergeChecks, put, remove, update, type Write } from '#shared/engine/table/writes.ts';
import type { DirectoryEntry } from '#shared/model/directory/directory-entry.ts';
import { accounts, companyAccounts } from '#shared/model/organizations/account.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import {
  adjustAdminCount,
  countAsAdmin,
  makeAccountCheck,
  planMembership,
  planMembershipRemoval,
} from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Holder } from './account-holder.ts';
import { planEntry } from './entry-rows.ts';
import { notUnique } from './errors.ts';
import { findPersonName, pickAttributes } from './user-attributes.ts';
import { findAddress } from './user-emails.ts';

interface UserPlan {
  readonly organization: Organization;
  readonly before: DirectoryEntry | undefined;
  /** As it shall be, with the version of `before`. */
  readonly entry: DirectoryEntry;
  readonly holder: Holder;
  /** Of the role that a new membership gets. */
  readonly checks: readonly Check[];
}

export async function planUser(services: CoreServices, { organization, before, entry, holder, checks }: UserPlan) {
  const { account, membership } = holder;
  const membershipPlan = await planActivity(services, { organization, entry, holder });
  const accountPlan = await planAccount(services, entry, holder);
  const changes = [...membershipPlan.writes, ...accountPlan.writes, ...holder.writes];
  if (before && changes.length === 0 && isDeepStrictEqual(pickChangeable(before), pickChangeable(entry)))
    return { result: { entry: before, membership } };
  const now = services.now();
  const storedEntry = before ? { ...entry, version: before.version + 1, updatedAt: now } : entry;
  const accountChecks = holder.writes.length > 0 || !entry.active ? [] : [makeAccountCheck(account)];
  const roleChecks = membershipPlan.membership && membershipPlan.membership !== membership ? checks : [];
  return {
    result: { entry: storedEntry, membership: membershipPlan.membership },
    writes: mergeChecks([...accountChecks, ...roleChecks], [...planEntry(before, storedEntry), ...changes]),
    record: [...membershipPlan.record, ...accountPlan.record],
  };
}

/** What a request may change. */
const pickChangeable = (entry: DirectoryEntry) => ({
  ...pickAttributes(entry),
  accountId: entry.accountId,
  role: entry.role,
});

async function planActivity(
  services: CoreServices,
  { organization, entry, holder: { account, membership, writes } }: Pick<UserPlan, 'organization' | 'entry' | 'holder'>,
) {
  const { accountId } = account;
  if (entry.active && !membership) {
    const { role } = entry;
    const plan = await planMembership(services, { organization, account, role, isReturn: writes.length === 0 });
    return { ...plan, record: [{ action: 'member added' as const, subject: accountId, detail: role }] };
  }
  if (!entry.active && membership) {
    const { role } = membership;
    return {
      membership: undefined,
      writes: [...planMembershipRemoval(membership), ...adjustAdminCount(organization, -countAsAdmin(role))],
      record: [{ action: 'member deprovisioned' as const, subject: accountId, detail: role }],
    };
  }
  return { membership, writes: [], record: [] };
}

/** The directory names the accounts that the organization manages. It never changes one that a person owns. */
async function planAccount({ table }: CoreServices, entry: DirectoryEntry, { account, writes }: Holder) {
  const { organizationId } = entry;
  const nothing = { writes: [], record: [] };
  if (account.managedBy !== organizationId || writes.length > 0) return nothing;
  const email = findAddress(entry);
  const name = findPersonName(entry);
  if (email === account.email && name === account.name) return nothing;
  const isMoved = email !== account.email;
  if (isMoved && (await table.get(companyAccounts, { organizationId, email }, { consistent: true })))
    throw notUnique('email address');
  const { accountId } = account;
  const changedFacts = name === account.name ? [] : ['name'];
  const rows: Write[] = [
    update(accounts, account, { set: Object.entries({ email, name }) }, { path: 'email', equals: account.email }),
  ];
  if (isMoved) {
    changedFacts.unshift('address');
    rows.push(
      put(companyAccounts, { organizationId, email, accountId }, ABSENT),
      remove(companyAccounts, { organizationId, email: account.email }),
    );
  }
  return {
    writes: rows,
    record: [{ action: 'member changed' as const, subject: accountId, detail: changedFacts.join(' and ') }],
  };
}
