/** Parts of a grant, in the format in which oidc-provider stores them. */
import * as z from 'zod';

/** The `type` of the authorization details (RFC 9396) that this service adds to grants. Clients cannot send them. */
export const DETAILS = 'rundown';

export const GrantDetails = z.object({
  type: z.literal(DETAILS),
  organizationId: z.string(),
  /** Time of consent in epoch milliseconds. Stored here because oidc-provider records it in seconds only. */
  grantedAt: z.number(),
  clientName: z.string().optional(),
});
export type GrantDetails = z.output<typeof GrantDetails>;

export const GrantScopes = z.object({
  resources: z.record(z.string(), z.string()).default({}),
  openid: z.object({ scope: z.string().default('') }).optional(),
});
