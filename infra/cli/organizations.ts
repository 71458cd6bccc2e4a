/** §5 The commands for accounts and organizations. */

import { requirePermission } from '#shared/access/may.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { UNLIMITED } from '#shared/model/usage/usage-limits.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { changeUsageLimits } from '#shared/organizations/usage-limits.ts';
import { readUsage } from '#shared/usage/read-usage.ts';
import { type CommandRow, command } from './command.ts';
import { email, limitOption, optional, organization, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';

export const toOrganizationRow = ({
  organizationId,
  name,
  createdAt,
  deactivatedAt,
  deletesAt,
}: Organization): CommandRow => ({
  organizationId,
  name,
  createdAt: formatTimeCell(createdAt),
  deactivatedAt: formatTimeCell(deactivatedAt),
  deletesAt: formatTimeCell(deletesAt),
});

const BYTES_PER_MEGABYTE = 1e6;

/** A limit that is not set follows the environment. Only the functions know its value, so `default` is shown. */
const formatLimitCell = (limit: number | undefined) => limit ?? 'default';

export const ORGANIZATIONS = [
  command({
    name: 'accounts create',
    does: 'create an account for a person, who can then join and create organizations',
    options: { email: email('address of the person'), name: textOption('<name>', 'name of the person') },
    run: async ({ services, actor }, options) => {
      requirePermission(actor, 'accounts:create');
      const { accountId, email, name } = await createAccount(services, options);
      return [{ accountId, email, name }];
    },
  }),
  command({
    name: 'organizations create',
    does: 'create an organization; with --as, that person becomes its first Admin',
    options: { name: textOption('<name>', 'name of the organization') },
    run: async ({ services, actor }, { name }) => [
      toOrganizationRow(await createOrganization(services, { name, actor })),
    ],
  }),
  command({
    name: 'organizations list',
    does: 'list all organizations, oldest first',
    options: {},
    run: async ({ services, actor }) => (await listOrganizations(services, { actor })).map(toOrganizationRow),
  }),
  command({
    name: 'organizations limits',
    does: 'show or change the limits of an organization, and show what it has used',
    options: {
      organization,
      'requests-per-month': optional(limitOption('requests per calendar month, or default')),
      'requests-per-minute': optional(limitOption('requests of one key per minute, or default')),
      'stored-megabytes': optional(limitOption('megabytes of stored files, or default')),
    },
    run: async ({ services, actor }, { organization: organizationId, ...limitOptions }) => {
      const megabytes = limitOptions['stored-megabytes'];
      const change = {
        requestsPerMonth: limitOptions['requests-per-month'],
        keyRequestsPerMinute: limitOptions['requests-per-minute'],
        storedBytes: typeof megabytes === 'number' ? megabytes * BYTES_PER_MEGABYTE : megabytes,
      };
      const limits = await changeUsageLimits(services, { organizationId, actor, change });
      const usage = await readUsage({ ...services, defaultLimits: UNLIMITED }, { organizationId, actor });
      return [
        {
          organizationId,
          requestsPerMonth: formatLimitCell(limits.requestsPerMonth),
          requestsThisMonth: usage.requests,
          requestsPerMinute: formatLimitCell(limits.keyRequestsPerMinute),
          storedMegabytes: formatLimitCell(limits.storedBytes && limits.storedBytes / BYTES_PER_MEGABYTE),
          storedNow: (usage.storedBytes / BYTES_PER_MEGABYTE).toFixed(1),
        },
      ];
    },
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
