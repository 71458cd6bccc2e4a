/** The fields of the consent form. */
import * as z from 'zod';
import { id } from '#shared/model/names.ts';

export const consentFields = z.object({
  decision: z.enum(['allow', 'deny']),
  /** The account that the page showed. The person may have signed in with a different account since then. */
  accountId: id,
  organizationId: id.optional(),
  scopes: z.union([z.string(), z.array(z.string())]).default([]),
});

export type ConsentFields = z.output<typeof consentFields>;
