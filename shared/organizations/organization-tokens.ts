/** §5.2 All personal tokens of an organization, oldest first, including revoked and expired ones. */
import { readListed } from '#shared/engine/table/listed.ts';
import {
  type PersonalToken,
  personalTokens,
  tokensOfOrganization,
  tokensSpan,
} from '#shared/model/organizations/personal-token.ts';
import type { WithTable } from '#shared/services.ts';

export const readOrganizationTokens = (
  { table }: WithTable,
  organization: { readonly organizationId: string },
): Promise<PersonalToken[]> => readListed(table, tokensOfOrganization, tokensSpan(organization), personalTokens);
