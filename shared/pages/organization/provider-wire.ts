/** The fields of the form that connects the provider of a company. An empty secret keeps the stored one. */

import * as z from 'zod';
import { COMPANY_LIMITS } from '#shared/company-sign-in/limits.ts';
import type { ProviderSettings } from '#shared/company-sign-in/save-provider.ts';
import { entry, trimEntry } from '#shared/pages/shell/form-wire.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';

export const PROVIDER_FIELDS = {
  name: entry(COMPANY_LIMITS.nameCharacters),
  issuer: entry(SENDING_LIMITS.urlCharacters),
  clientId: entry(COMPANY_LIMITS.clientIdCharacters),
  clientSecret: entry(COMPANY_LIMITS.secretCharacters),
  groupsClaim: entry(COMPANY_LIMITS.claimCharacters),
  // Browsers do not send an unchecked checkbox.
  admitsNew: z.literal('true').optional(),
};

export function toProviderSettings({
  groupsClaim,
  admitsNew,
  ...fields
}: z.output<z.ZodObject<typeof PROVIDER_FIELDS>>): ProviderSettings {
  const claim = trimEntry(groupsClaim);
  return {
    name: fields.name,
    issuer: fields.issuer.trim(),
    clientId: fields.clientId.trim(),
    clientSecret: trimEntry(fields.clientSecret),
    ...(claim === undefined ? {} : { groupsClaim: claim }),
    admitsNew: admitsNew === 'true',
  };
}
