/** §5.2 All personal tokens of an organization, oldest first, including revoked and expired ones. */
import {
  type PersonalToken,
  personalTokens,
  tokensOfOrganization,
  tokensSpan,
} from '#shared/model/organizations/personal-token.ts';
import type { CoreServices } from '#shared/services.ts';

export async function readOrganizationTokens(
  { table }: Pick<CoreServices, 'table'>,
  organization: { readonly organizationId: string },
): Promise<PersonalToken[]> {
  const pointers = await table.queryAll(tokensOfOrganization, tokensSpan(organization), { consistent: true });
  const tokens = await table.getMany(personalTokens, pointers, { consistent: true });
  return tokens.flatMap((token) => token ?? []);
}
