/** The row of the organization in an archive. The rest of its rows are parts of the archive. */
import * as z from 'zod';
import type { Attributes } from '#shared/engine/table/entity.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import type { UsageLimits } from '#shared/model/usage/usage-limits.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';

const limit = z.int().positive().optional();

/** The type makes sure that no attribute is forgotten: an archive that has it would be refused. */
export const ArchivedOrganization = z.strictObject({
  organizationId: z.string(),
  name: z.string().min(1).max(ORGANIZATION_LIMITS.nameCharacters),
  createdAt: z.number(),
  admins: z.number(),
  deactivatedAt: z.number().optional(),
  shareDays: z.literal([0, ...SHARE_LIMITS.days]).optional(),
  aiMayRead: z.boolean().optional(),
  limits: z
    .strictObject({ requestsPerMonth: limit, keyRequestsPerMinute: limit, storedBytes: limit } satisfies Record<
      keyof UsageLimits,
      unknown
    >)
    .optional(),
} satisfies Record<
  keyof Omit<Organization, 'companySignIn' | 'cursorSecret' | 'deletesAt' | 'reactivates' | 'isOnly'>,
  unknown
>);
export type ArchivedOrganization = z.infer<typeof ArchivedOrganization>;

/**
 * Leaves out the provider that lets people in, the secret of its cursors, which each deployment makes for itself, and
 * its deletion. The row stays deactivated only if the organization was deactivated before it was deleted.
 */
export function toArchivedOrganization(row: Attributes): Attributes {
  const { companySignIn, cursorSecret, deletesAt, reactivates, isOnly, deactivatedAt, pk, sk, ...attributes } = row;
  if (reactivates || deactivatedAt === undefined) return attributes;
  return { ...attributes, deactivatedAt };
}
