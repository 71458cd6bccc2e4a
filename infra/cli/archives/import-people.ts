/** The people of an archive: those who have an account here already, and accounts for the others. */
import { Refused } from '#infra/cli/terminal/usage-error.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { type Account, accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import type { ExistingMember, ImportContext } from './import-context.ts';

/** The members who have an account here that no earlier attempt of this import created. */
export async function listExistingMembers(
  { services, organizationId }: ImportContext,
  members: ReadonlyMap<string, Role | undefined>,
): Promise<ExistingMember[]> {
  const keys = [...members.keys()].map((accountId) => ({ accountId }));
  const foundAccounts = await services.table.getMany(accounts, keys, { consistent: true });
  return foundAccounts.flatMap((account) => {
    if (!account || account.unproven?.organizationId === organizationId) return [];
    if (account.managedBy === organizationId) return [];
    if (account.managedBy !== undefined) throw makeOtherPersonError([account.email]);
    return [{ account, role: members.get(account.accountId) }];
  });
}

/** Whether the account of the archive exists here. `other`: a different account has its address or its id. */
export async function compareAccount(
  { services: { table } }: ImportContext,
  { accountId, email, managedBy }: Account,
): Promise<'same' | 'none' | 'other'> {
  const [here, pointer] = await Promise.all([
    table.get(accounts, { accountId }, { consistent: true }),
    managedBy === undefined
      ? table.get(accountsByEmail, { email }, { consistent: true })
      : table.get(companyAccounts, { organizationId: managedBy, email }, { consistent: true }),
  ]);
  const isSame = here?.email === email && here.managedBy === managedBy;
  if (isSame && pointer?.accountId === accountId) return 'same';
  return here || pointer ? 'other' : 'none';
}

/**
 * Creates the accounts that do not exist here. Nobody has proven to this deployment that these addresses are theirs, so
 * the accounts belong to the organization until the operator gives their owners a sign-in link.
 */
export async function writePeople(context: ImportContext, people: readonly Account[]): Promise<void> {
  const { organizationId, now, services } = context;
  const { table } = services;
  for (const { accountId, email, name, createdAt, managedBy } of people) {
    const origin = managedBy === undefined ? { unproven: { organizationId, at: now } } : { managedBy };
    const account: Account = { accountId, email, name, createdAt, passkeys: 0, ...origin };
    if ((await compareAccount(context, account)) === 'same') continue;
    const pointer =
      managedBy === undefined
        ? put(accountsByEmail, account, ABSENT)
        : put(companyAccounts, { organizationId: managedBy, email, accountId }, ABSENT);
    const isNew = await table.transact([put(accounts, account, ABSENT), pointer]);
    if (!isNew) throw makeOtherPersonError([account.email]);
  }
}

export const makeOtherPersonError = (emails: readonly string[]): Refused =>
  new Refused(
    `These people have a different account here than in the archive, whose memberships, tokens and audit records name the archived account: ${emails.join(', ')}. Remove them from the organization, export it again to an empty folder or prefix, and add them here after the import`,
  );
