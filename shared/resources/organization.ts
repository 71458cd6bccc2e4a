/** §5 An organization: everything belongs to exactly one. Asked for: by id; newest first, by its operator. */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, instantKey, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

export interface Organization {
  readonly organizationId: string;
  readonly name: string;
  /** Milliseconds. */
  readonly createdAt: number;
  /** Authenticates the cursors of this organization's lists. */
  readonly cursorSecret: Uint8Array;
  /** Milliseconds; absent while it is active. No credential of a deactivated organization is accepted. */
  readonly deactivatedAt?: number;
  /** How many of its members are Admins. */
  readonly admins: number;
}

export const organizations: Entity<Pick<Organization, 'organizationId'>, Organization> = {
  type: 'organization',
  patterns: [{ question: 'An organization by id', key: 'pk = ORG#org, sk = ORG' }],
  key: ({ organizationId }) => ({ pk: composed('ORG', organizationId), sk: 'ORG' }),
  store: (organization) => ({ ...organization }),
  load: (row) => stored<Organization>(row),
};

type Listed = Pick<Organization, 'organizationId' | 'createdAt'>;

/** A pointer that no credential leads to: who operates the table sees all organizations, nobody else does. */
export const allOrganizations: Entity<Listed, Listed> = {
  type: 'organization, listed',
  patterns: [{ question: 'All organizations, for their operator', key: 'pk = ORGS, sk = ORG#createdAt#org' }],
  key: ({ organizationId, createdAt }) => ({ pk: 'ORGS', sk: composed('ORG', instantKey(createdAt), organizationId) }),
  store: ({ organizationId, createdAt }) => ({ organizationId, createdAt }),
  load: (row) => stored<Listed>(row),
};

export const allOrganizationsSpan = beginningWith('ORGS', prefix('ORG'));
