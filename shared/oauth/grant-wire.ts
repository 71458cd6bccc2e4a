/** Parts of a grant, as the library writes them. */
import * as z from 'zod';

/** RFC 9396 lets a grant carry details. These are ours, and no client can send them. */
export const DETAILS = 'rundown';

export const GrantDetails = z.object({
  type: z.literal(DETAILS),
  organizationId: z.string(),
  /** The time of consent in milliseconds. The library counts in seconds. */
  grantedAt: z.number(),
  clientName: z.string().optional(),
});
export type GrantDetails = z.output<typeof GrantDetails>;

export const GrantScopes = z.object({
  resources: z.record(z.string(), z.string()).default({}),
  openid: z.object({ scope: z.string().default('') }).optional(),
});
