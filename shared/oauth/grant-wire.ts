/** Parts of a grant, as the library stores them. */
import * as z from 'zod';

/** The `type` of our authorization details (RFC 9396). Clients cannot send them. */
export const DETAILS = 'rundown';

export const GrantDetails = z.object({
  type: z.literal(DETAILS),
  organizationId: z.string(),
  /** Time of consent in epoch milliseconds. The library only has seconds. */
  grantedAt: z.number(),
  clientName: z.string().optional(),
});
export type GrantDetails = z.output<typeof GrantDetails>;

export const GrantScopes = z.object({
  resources: z.record(z.string(), z.string()).default({}),
  openid: z.object({ scope: z.string().default('') }).optional(),
});
