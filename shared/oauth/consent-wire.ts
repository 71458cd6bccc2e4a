/** The fields of the consent form, and the query of its page. */
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

/** What the person had chosen before they were asked to confirm who they are, so that the page shows it again. */
export const consentQuery = z.object({
  organizationId: id.optional(),
  scopes: z.array(z.string()).optional(),
});

export type ConsentQuery = z.output<typeof consentQuery>;
