/**
 * Replaces the name and the address of an account. Its id stays, because audit records, rules and shares name people by
 * it, so that they show the pseudonym from then on. Nobody can sign in to it or find it by its address again.
 */

import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { put, remove, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { removeSignIns } from '#shared/lifecycle/remove-people.ts';
import { type Account, accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { makePseudonym } from '#shared/model/organizations/erasure.ts';
import { getMembershipsSpan, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import type { SearchedPerson } from './searched-person.ts';

/** Idempotent: the address leads to the account until the last write. Starts again if a passkey or an identity came meanwhile. */
export async function eraseAccount({ table }: WithTable, { accountId }: Pick<Account, 'accountId'>): Promise<void> {
  await retryOptimistically('account', async () => {
    const account = await table.get(accounts, { accountId }, { consistent: true });
    const { name, address } = makePseudonym(accountId);
    if (!account || account.email === address) return true;
    await removeSignIns({ table }, account);
    const isSame = expectSameValues(account, 'email', 'identities', 'passkeys');
    const set = [
      ['name', name],
      ['email', address],
      ['passkeys', 0],
    ] as const;
    const isErased = await table.transact([
      ...planPointerChange(account, address),
      update(accounts, account, { set, remove: ['identities'] }, isSame),
    ]);
    return isErased || AGAIN;
  });
}

/** The organization that manages an account finds it by the pseudonym, when it is removed itself. */
function planPointerChange(account: Account, address: string): Write[] {
  const { accountId, managedBy: organizationId } = account;
  if (organizationId === undefined)
    return [removeWhen(accountsByEmail, account, { path: 'accountId', equals: accountId })];
  return [
    remove(companyAccounts, { organizationId, email: account.email }),
    put(companyAccounts, { organizationId, email: address, accountId }),
  ];
}

/**
 * An Admin erases an account only if it came from this organization and belongs to no other one. Any other account is
 * the person's own, and the operator erases it.
 */
export async function eraseOwnAccount({ table }: WithTable, person: SearchedPerson): Promise<undefined> {
  const pointer = await table.get(accountsByEmail, { email: person.address }, { consistent: true });
  const account = pointer && (await table.get(accounts, pointer, { consistent: true }));
  if (account?.unproven?.organizationId !== person.organizationId) return undefined;
  const members = await table.queryAll(membershipsOfAccount, getMembershipsSpan(account), { consistent: true });
  if (members.length === 0) await eraseAccount({ table }, account);
  return undefined;
}
