/** §5 An organization: everything belongs to exactly one. Asked for: by id. */
import type { Entity } from '../table/entity.ts';
import { composed } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

export interface Organization {
  readonly organizationId: string;
  readonly name: string;
  /** Milliseconds. */
  readonly createdAt: number;
  /** Authenticates the cursors of this organization's lists. */
  readonly cursorSecret: Uint8Array;
}

export const organizations: Entity<Pick<Organization, 'organizationId'>, Organization> = {
  type: 'organization',
  patterns: [{ question: 'An organization by id', key: 'pk = ORG#org, sk = ORG' }],
  key: ({ organizationId }) => ({ pk: composed('ORG', organizationId), sk: 'ORG' }),
  store: ({ organizationId, name, createdAt, cursorSecret }) => ({ organizationId, name, createdAt, cursorSecret }),
  load: (row) => stored<Organization>(row),
};
