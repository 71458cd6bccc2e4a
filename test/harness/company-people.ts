/** Creates accounts that an organization manages, with functions of the product. */
import { OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { makeCompanyAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import type { Tenant, TestService } from './service.ts';

type Stage = Pick<TestService, 'services'> & Pick<Tenant, 'organizationId'>;

export async function managedAccount({ services, organizationId }: Stage, email: string): Promise<Account> {
  const { account, writes } = makeCompanyAccount(services, { organizationId, email, name: 'Kim Roe' });
  if (!(await services.table.transact(writes))) throw new Error('The organization manages this address already');
  return account;
}

export async function managedMember(stage: Stage, email: string, role: Role = 'member'): Promise<Account> {
  const account = await managedAccount(stage, email);
  const { accountId } = account;
  await addMember(stage.services, { organizationId: stage.organizationId, accountId, role, actor: OPERATOR });
  return account;
}
