/** All personal tokens of an organization, oldest first, the dead ones among them. */
import { type PersonalToken, personalTokens, tokensOfOrganization, tokensSpan } from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';

export async function tokensOf(
  { table }: Pick<Administration, 'table'>,
  of: { organizationId: string },
): Promise<PersonalToken[]> {
  const pointers = await table.queryAll(tokensOfOrganization, tokensSpan(of), { consistent: true });
  const tokens = await table.getMany(personalTokens, pointers, { consistent: true });
  return tokens.flatMap((token) => token ?? []);
}
