import { allOrganizations } from '#shared/model/organizations/organization.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import { schedule } from '#shared/platform/schedule.ts';
import { measureStorage } from '#shared/usage/measure-storage.ts';

export const handler = schedule({
  name: 'measureStorage',
  expression: 'cron(30 2 * * ? *)',
  access: { table: 'readUpdate', reads: [allOrganizations], writes: [storedBytes], artifacts: 'list' },
  summary: 'Measures how many bytes each organization stores',
  timeoutSeconds: 900,
  retrySeconds: 3600,
  metrics: ['measured'],
  handle: measureStorage,
});
