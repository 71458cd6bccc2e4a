/** Finds the members of an organization who have an email address. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, type Check, check } from '#shared/engine/table/writes.ts';
import { accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';

interface Address {
  readonly organizationId: string;
  readonly email: string;
}

interface AddressHolders {
  /** Whether one of the holders is a member. */
  readonly isMember: boolean;
  /** Make a transaction fail if a person with the address becomes a member in the meantime. */
  readonly isNoMember: readonly Check[];
}

/** An address may belong to a person's own account, to one that the organization manages, and to both. */
export async function findAddressHolders({ table }: WithTable, address: Address): Promise<AddressHolders> {
  const { organizationId, email } = address;
  const [account, companyAccount] = await Promise.all([
    table.get(accountsByEmail, { email }, { consistent: true }),
    table.get(companyAccounts, address, { consistent: true }),
  ]);
  const accounts = [account, companyAccount].filter((one) => one !== undefined);
  const memberKeys = accounts.map(({ accountId }) => ({ organizationId, accountId }));
  const members = await table.getMany(memberships, memberKeys, { consistent: true });
  const isNoMember = memberKeys.map((key) => check(memberships, key, ABSENT));
  if (!account) isNoMember.push(check(accountsByEmail, { email }, ABSENT));
  if (!companyAccount) isNoMember.push(check(companyAccounts, address, ABSENT));
  return { isMember: members.some((member) => member !== undefined), isNoMember };
}
