/**
 * §5.2 Revokes tokens whose owner's membership has ended or whose organization was deactivated. Such "dead" tokens are
 * already refused, but the list of tokens shows them as active until they are revoked. A token that has only expired,
 * or whose owner has only lost the Admin role, is not revoked.
 *
 * A dead token never becomes valid again, because deactivation is final and the membership of a person who rejoins
 * starts after the token was created. So a token can safely be revoked some time after it was found to be dead. If only
 * the deletion of an organization deactivated it, its tokens are not dead, because it can be restored.
 */
import { CLEAN_UP } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { update } from '#shared/engine/table/writes.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import {
  getTokensSpan,
  type PersonalToken,
  personalTokens,
  tokensOfOrganization,
  UNREVOKED,
} from '#shared/model/organizations/personal-token.ts';
import type { CoreServices } from '#shared/services.ts';
import { change } from './change.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

type OrganizationKey = Pick<Organization, 'organizationId'>;

/** Returns how many it revoked. Idempotent. */
export async function revokeDeadTokens(services: CoreServices, organization: OrganizationKey): Promise<number> {
  let total = 0;
  for await (const { revoked } of revokeDeadTokensByPage(services, organization)) total += revoked;
  return total;
}

/** Yields after each page, so that the caller can stop. */
export async function* revokeDeadTokensByPage(
  services: CoreServices,
  organization: OrganizationKey,
): AsyncGenerator<{ readonly tokens: number; readonly revoked: number; readonly isLast: boolean }, void> {
  let after: string | undefined;
  do {
    const options = { limit: ORGANIZATION_LIMITS.cleanUpPage, consistent: true, after };
    const { rows, lastRead } = await services.table.query(tokensOfOrganization, getTokensSpan(organization), options);
    const pointers = rows.map(({ item }) => item);
    const deadTokens = await findDeadTokens(services, organization, pointers);
    const revocations = await mapConcurrently(deadTokens, (token) => revokeDeadToken(services, token));
    after = lastRead;
    yield { tokens: rows.length, revoked: revocations.filter(Boolean).length, isLast: after === undefined };
  } while (after !== undefined);
}

interface DeadToken {
  readonly token: PersonalToken;
  readonly cause: string;
}

/** Reads tokens before memberships, or a token would seem dead if its owner rejoined and created it in between. */
async function findDeadTokens(
  { table }: CoreServices,
  key: OrganizationKey,
  pointers: readonly Pick<PersonalToken, 'hash'>[],
): Promise<DeadToken[]> {
  const storedTokens = await table.getMany(personalTokens, pointers, { consistent: true });
  const tokens = storedTokens.flatMap((token) => (token && token.revokedAt === undefined ? [token] : []));
  if (tokens.length === 0) return [];
  const [organization, owners] = await Promise.all([
    table.get(organizations, key, { consistent: true }),
    table.getMany(memberships, tokens, { consistent: true }),
  ]);
  return tokens.flatMap((token, index) => {
    const cause = findCauseOfDeath(token, organization, owners[index]);
    return cause === undefined ? [] : [{ token, cause }];
  });
}

function findCauseOfDeath(
  { createdAt }: PersonalToken,
  organization: Organization | undefined,
  membership: Membership | undefined,
): string | undefined {
  if (organization?.deactivatedAt !== undefined && !organization.reactivates) return 'its organization was deactivated';
  if (membership === undefined) return 'its owner is no longer a member';
  return membership.startedAt > createdAt ? 'its owner rejoined after it was created' : undefined;
}

/** Revokes one dead token. Returns false if the token was already revoked. */
function revokeDeadToken(services: CoreServices, { token, cause }: DeadToken): Promise<boolean> {
  const { table, now } = services;
  const { organizationId, tokenId, name } = token;
  // The first attempt uses the token that was just read. Only retries read it again.
  let currentToken: PersonalToken | undefined = token;
  return change(services, { actor: CLEAN_UP, action: 'tokens:cleanUp' }, async () => {
    currentToken ??= await table.get(personalTokens, token, { consistent: true });
    const isRevoked = currentToken === undefined || currentToken.revokedAt !== undefined;
    currentToken = undefined;
    if (isRevoked) return { result: false };
    return {
      result: true,
      writes: [update(personalTokens, token, { set: [['revokedAt', now()]] }, UNREVOKED)],
      record: { organizationId, action: 'token revoked', subject: tokenId, label: name, detail: `${name}: ${cause}` },
    };
  });
}
