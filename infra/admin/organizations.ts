/** Accounts and organizations. */
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { requireOperator } from '#shared/organizations/rights.ts';
import type { Account } from '#shared/resources/account.ts';
import type { Organization } from '#shared/resources/organization.ts';
import { command, type Row } from './command.ts';
import { email, organization, text } from './options.ts';
import { timeOf } from './rows.ts';

const organizationRow = (of: Organization): Row => ({
  organizationId: of.organizationId,
  name: of.name,
  createdAt: timeOf(of.createdAt),
  deactivatedAt: timeOf(of.deactivatedAt),
});

const accountRow = ({ accountId, email, name }: Account): Row => ({ accountId, email, name });

export const ORGANIZATIONS = [
  command({
    name: 'accounts create',
    does: 'make an account for a person, who can then join organizations and create some',
    options: { email: email('the address that the person is known by'), name: text('<name>', 'what they are called') },
    run: async ({ services, actor }, given) => {
      requireOperator(actor);
      return [accountRow(await createAccount(services, given))];
    },
  }),
  command({
    name: 'organizations create',
    does: 'create an organization: an empty one, or with --as one that has its first Admin',
    options: { name: text('<name>', 'what it is called') },
    run: async ({ services, actor }, { name }) => [
      organizationRow(await createOrganization(services, { name, actor })),
    ],
  }),
  command({
    name: 'organizations list',
    does: 'list all organizations, oldest first',
    options: {},
    run: async ({ services, actor }) => (await listOrganizations(services, { actor })).map(organizationRow),
  }),
  command({
    name: 'organizations deactivate',
    does: 'end an organization for good: no credential of it is accepted any more, and its tokens are revoked',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      await deactivateOrganization(services, { organizationId, actor });
      return [{ organizationId, state: 'deactivated' }];
    },
  }),
];
