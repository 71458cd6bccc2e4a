/** OAuth access tokens for members, signed by the issuer that the tests control. */
import type { Role } from '#shared/model/organizations/membership.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { type Client, client } from './client.ts';
import { claimsOf, signed } from './issuer.ts';
import { member } from './people.ts';
import type { Tenant, TestService } from './service.ts';

/**
 * Creates a member with this role, and an access token with these scopes for the member. Default: an Admin with every
 * scope.
 */
export async function accessToken(
  stage: TestService & Tenant,
  { role = 'admin', scopes = SCOPES }: { readonly role?: Role; readonly scopes?: readonly string[] } = {},
): Promise<{ readonly value: string; readonly accountId: string; readonly api: Client }> {
  const { accountId } = await member(stage, role);
  const claims = claimsOf(stage.issuer, stage, accountId, { scope: scopes.join(' ') });
  const value = await signed(claims, stage.issuer.key);
  return { value, accountId, api: client(stage.origin, value) };
}
