/** §5.2 Making, listing and revoking personal access tokens. */
import { adminOnly, conflict, invalidRequest, notFound, refuse } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { auditOf, OPERATOR } from '../organizations/audit.ts';
import { memberships } from '../resources/membership.ts';
import { withReads } from '../resources/permissions.ts';
import { type PersonalToken, personalTokens, tokensOfOrganization, tokensSpan } from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';
import { ABSENT, PRESENT, put, update } from '../table/writes.ts';
import { DEFAULT_LIFETIME, validUntilOf } from './expiry.ts';
import { createToken, hashToken } from './token.ts';

const TOKEN_ID_CHARACTERS = 16;

export interface TokenRequest {
  readonly organizationId: string;
  /** The owner, who is always the one who makes it. */
  readonly accountId: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly permissions: readonly string[];
  readonly lifetime?: string | undefined;
}

/** The value is returned once and never again. */
export async function createPersonalToken(
  services: Administration,
  request: TokenRequest,
): Promise<PersonalToken & { readonly value: string }> {
  const { table, now, randomId } = services;
  const { organizationId, accountId } = request;
  await requireAdmin(services, { organizationId, accountId });
  const value = createToken('personalToken');
  const token: PersonalToken = {
    ...inputsOf(request),
    organizationId,
    accountId,
    hash: hashToken(value),
    tokenId: randomId(TOKEN_ID_CHARACTERS),
    lastFour: value.slice(-4),
    createdAt: now(),
    validUntil: validUntilOf(request.lifetime ?? DEFAULT_LIFETIME, now()),
  };
  const written = await table.transact([
    put(personalTokens, token, ABSENT),
    put(tokensOfOrganization, token),
    auditOf(services, {
      organizationId,
      actor: accountId,
      action: 'token created',
      subject: token.tokenId,
      detail: token.name,
    }),
  ]);
  if (!written) throw conflict('The token');
  return { ...token, value };
}

async function requireAdmin(
  { table }: Administration,
  of: { organizationId: string; accountId: string },
): Promise<void> {
  const membership = await table.get(memberships, of, { consistent: true });
  if (membership?.role !== 'admin') throw adminOnly();
}

function inputsOf({ name, description, permissions }: TokenRequest) {
  const label = name.trim();
  if (label === '' || label.length > LIMITS.tokenNameCharacters) {
    throw invalidRequest(`A token has a name of at most ${LIMITS.tokenNameCharacters} characters`);
  }
  if ((description ?? '').length > LIMITS.tokenDescriptionCharacters) {
    throw invalidRequest(`A description has at most ${LIMITS.tokenDescriptionCharacters} characters`);
  }
  const allowed = withReads(permissions) ?? refuse(invalidRequest('There is no such permission'));
  if (allowed.length === 0) throw invalidRequest('A token needs at least one permission');
  return { name: label, description: description ?? null, permissions: allowed };
}

export async function listPersonalTokens(
  { table }: Administration,
  of: { organizationId: string },
): Promise<PersonalToken[]> {
  const pointers = await table.queryAll(tokensOfOrganization, tokensSpan(of), { consistent: true });
  const tokens = await table.getMany(personalTokens, pointers, { consistent: true });
  return tokens.flatMap((token) => token ?? []);
}

/** By its owner or any Admin of the organization, at once and for ever. */
export async function revokePersonalToken(
  services: Administration,
  { organizationId, tokenId, actor }: { organizationId: string; tokenId: string; actor: string },
): Promise<void> {
  const token = (await listPersonalTokens(services, { organizationId })).find((one) => one.tokenId === tokenId);
  if (!token) throw notFound('Token');
  if (actor !== OPERATOR && actor !== token.accountId)
    await requireAdmin(services, { organizationId, accountId: actor });
  const written = await services.table.transact([
    update(personalTokens, token, { setIfAbsent: [['revokedAt', services.now()]] }, PRESENT),
    auditOf(services, { organizationId, actor, action: 'token revoked', subject: tokenId, detail: token.name }),
  ]);
  if (!written) throw conflict('The token');
}
