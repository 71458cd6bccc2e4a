import { allOrganizations } from '#shared/model/organizations/organization.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import { schedule } from '#shared/platform/schedule.ts';
import { measureStorage } from '#shared/usage/measure-storage.ts';

export const handler = schedule({
  name: 'measureStorage',
  // A call lasts until the next one, so that a large bucket is listed in one night.
  expression: 'cron(0/15 2-7 * * ? *)',
  access: { table: 'readUpdate', reads: [allOrganizations], writes: [storedBytes], artifacts: 'list' },
  summary: 'Measures each night how many bytes each organization stores',
  timeoutSeconds: 900,
  retrySeconds: 3600,
  metrics: ['measured'],
  handle: measureStorage,
});
