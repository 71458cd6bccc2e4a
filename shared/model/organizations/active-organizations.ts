/** How many organizations of the deployment are active. Counted every few minutes. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { loadAttributes, pick } from '#shared/engine/table/stored.ts';

interface ActiveOrganizations {
  readonly count: number;
}

export const activeOrganizations: Entity<object, ActiveOrganizations> = {
  type: 'active organizations',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The number of active organizations' }],
  key: () => ({ pk: 'DEPLOYMENT', sk: 'ORGANIZATIONS' }),
  store: pick('count'),
  load: loadAttributes,
};
