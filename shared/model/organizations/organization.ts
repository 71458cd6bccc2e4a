/** §5 An organization. Each project, with all its data, belongs to exactly one organization. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';
import type { UsageLimitsSetting } from '#shared/model/usage/usage-limits.ts';

interface CompanySignIn {
  /** Sessions of another provider have ended. */
  readonly providerId: string;
  /** Whether members can use this organization only in sessions of the provider, or of a link from the operator. */
  readonly required: boolean;
}

export interface Organization {
  readonly organizationId: string;
  readonly name: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** The secret that authenticates the pagination cursors of this organization's lists. */
  readonly cursorSecret: Uint8Array;
  /** In epoch milliseconds. Absent while the organization is active. Otherwise, its credentials are refused. */
  readonly deactivatedAt?: number;
  /**
   * When the organization and its data are removed, in epoch milliseconds. Absent unless the operator deleted the
   * organization. Until then, the operator can restore it. A deleted organization is also deactivated.
   */
  readonly deletesAt?: number;
  /** Whether the deletion deactivated the organization, so that restoring it activates it again. */
  readonly reactivates?: true;
  readonly admins: number;
  /** The maximum lifetime of a share in days. 0 forbids shares. If absent, the maximum of the service applies. */
  readonly shareDays?: number;
  /** `false` prevents AI tools from reading failures. If absent, AI tools may read failures. */
  readonly aiMayRead?: boolean;
  /**
   * Whether no other organization of the deployment is active. Noted every few minutes, so that a request need not ask.
   */
  readonly isOnly?: true;
  /** How members sign in at the company's own identity provider. Absent without a provider. */
  readonly companySignIn?: CompanySignIn;
  /** The limits that the operator has set. If absent, those of the environment apply. */
  readonly limits?: UsageLimitsSetting;
}

export const organizations: Entity<Pick<Organization, 'organizationId'>, Organization> = {
  type: 'organization',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'An organization by id' }],
  key: ({ organizationId }) => ({ pk: composeKey('ORG', organizationId), sk: 'ORG' }),
  store: toAttributes,
  load: loadAttributes,
};

type OrganizationEntry = Pick<Organization, 'organizationId' | 'createdAt'>;

/** A pointer, by which the operator lists all organizations. No API credential gives access to this list. */
export const allOrganizations: Entity<OrganizationEntry, OrganizationEntry> = {
  type: 'organization, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'All organizations, for their operator' }],
  key: ({ organizationId, createdAt }) => ({
    pk: 'ORGS',
    sk: composeKey('ORG', encodeInstant(createdAt), organizationId),
  }),
  store: pick('organizationId', 'createdAt'),
  load: loadAttributes,
};

export const allOrganizationsSpan = getPrefixSpan('ORGS', composePrefix('ORG'));
