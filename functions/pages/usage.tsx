import * as z from 'zod';
import { listPeople } from '#shared/organizations/members.ts';
import { UsagePage } from '#shared/pages/organization/usage-page.tsx';
import { page } from '#shared/platform/page.ts';
import { readUsage } from '#shared/usage/read-usage.ts';

export const showUsage = page({
  operationId: 'showUsage',
  route: 'GET /{organizationId}/settings/usage',
  lambda: 'settings',
  needs: 'usage:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ month: z.enum(['this', 'previous']).default('this') }),
  async show({ visit, caller, query: { month } }, services) {
    const [usage, people] = await Promise.all([
      readUsage(services, { ...caller, isPrevious: month === 'previous' }),
      listPeople(services, caller),
    ]);
    const body = <UsagePage visit={visit} usage={usage} isPrevious={month === 'previous'} people={people} />;
    return { title: 'Usage', tab: 'Usage', body };
  },
});
