/** §5 The commands for accounts and organizations. */

import { requirePermission } from '#shared/access/may.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { type CommandRow, command } from './command.ts';
import { email, organization, textOption } from './options.ts';
import { timeCell } from './rows.ts';

export const organizationRow = ({
  organizationId,
  name,
  createdAt,
  deactivatedAt,
  deletesAt,
}: Organization): CommandRow => ({
  organizationId,
  name,
  createdAt: timeCell(createdAt),
  deactivatedAt: timeCell(deactivatedAt),
  deletesAt: timeCell(deletesAt),
});

const accountRow = ({ accountId, email, name }: Account): CommandRow => ({ accountId, email, name });

export const ORGANIZATIONS = [
  command({
    name: 'accounts create',
    does: 'create an account for a person, who can then join and create organizations',
    options: { email: email('address of the person'), name: textOption('<name>', 'name of the person') },
    run: async ({ services, actor }, given) => {
      requirePermission(actor, 'accounts:create');
      return [accountRow(await createAccount(services, given))];
    },
  }),
  command({
    name: 'organizations create',
    does: 'create an organization; with --as, that person becomes its first Admin',
    options: { name: textOption('<name>', 'name of the organization') },
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
    does: 'deactivate an organization permanently, and revoke its tokens',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      await deactivateOrganization(services, { organizationId, actor });
      return [{ organizationId, state: 'deactivated' }];
    },
  }),
];
