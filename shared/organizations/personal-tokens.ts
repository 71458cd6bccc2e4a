/** §5.2 Creates and revokes personal access tokens. */
import type { Actor, Person } from '#shared/access/actor.ts';
import { createToken, hashToken } from '#shared/access/token.ts';
import { invalidRequest, notFound } from '#shared/engine/errors.ts';
import { ABSENT, put, update } from '#shared/engine/table/writes.ts';
import { addReadPermissions, isPermission, PERMISSIONS } from '#shared/model/organizations/permissions.ts';
import {
  type PersonalToken,
  personalTokens,
  tokensOfOrganization,
  UNREVOKED,
} from '#shared/model/organizations/personal-token.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { type ListedToken, readOrganizationTokens, toListedToken } from './list-personal-tokens.ts';
import { parseName } from './name-inputs.ts';
import type { OrganizationRequest } from './standing.ts';
import { DEFAULT_LIFETIME, parseTokenExpiry } from './token-expiry.ts';

const TOKEN_ID_CHARACTERS = 16;

export interface TokenRequest {
  /** The operator, if they create the token for its owner in an emergency. */
  readonly auditAs?: Actor | undefined;
  readonly organizationId: string;
  /** The owner. Nobody can create tokens for someone else. */
  readonly actor: Person;
  readonly name: string;
  readonly description?: string | undefined;
  readonly permissions: readonly string[];
  readonly lifetime?: string | undefined;
  readonly formId?: string | undefined;
}

/** Creates a token. The value of the token is returned only here and cannot be read later. */
export function createPersonalToken(
  services: CoreServices,
  request: TokenRequest,
): Promise<ListedToken & { readonly value: string }> {
  const { now, randomId } = services;
  const { organizationId, actor, formId } = request;
  const { auditAs } = request;
  const change = { organizationId, actor, formId, auditAs, action: 'tokens:create' } as const;
  return changeOrganization(services, change, ({ membership, organization }) => {
    const value = createToken('personalToken');
    const token: PersonalToken = {
      ...parseTokenInputs(request),
      organizationId,
      accountId: actor.accountId,
      hash: hashToken(value),
      tokenId: randomId(TOKEN_ID_CHARACTERS),
      lastFour: value.slice(-4),
      // A token must not be older than its owner's membership, even with clock skew.
      createdAt: Math.max(now(), membership?.startedAt ?? 0),
      validUntil: parseTokenExpiry(request.lifetime ?? DEFAULT_LIFETIME, now()),
    };
    return {
      result: { ...toListedToken(token, organization, now()), value },
      writes: [put(personalTokens, token, ABSENT), put(tokensOfOrganization, token)],
      record: { action: 'token created', subject: token.tokenId, label: token.name, detail: token.name },
    };
  });
}

function parseTokenInputs({ name, description, permissions }: TokenRequest) {
  const characters = ORGANIZATION_LIMITS.tokenNameCharacters;
  const label = parseName('The name of a token', name, { characters });
  if ((description ?? '').length > ORGANIZATION_LIMITS.tokenDescriptionCharacters) {
    throw invalidRequest(
      `The description of a token must have at most ${ORGANIZATION_LIMITS.tokenDescriptionCharacters} characters`,
      ['description'],
    );
  }
  const unknown = permissions.find((name) => !isPermission(name));
  if (unknown !== undefined) throw invalidRequest(describeUnknownPermission(unknown), ['permissions']);
  const allPermissions = addReadPermissions(permissions.filter(isPermission));
  if (allPermissions.length === 0)
    throw invalidRequest('A token needs at least one permission. Choose one', ['permissions']);
  return { name: label, description: description ?? null, permissions: allPermissions };
}

const SHOWN_CHARACTERS = 64;
const describeUnknownPermission = (name: string) =>
  `Unknown permission ${JSON.stringify(name.slice(0, SHOWN_CHARACTERS))}. Send one or more of ${PERMISSIONS.join(', ')}`;

/** Revokes a token permanently. Its owner and all Admins of the organization may do so. */
export async function revokePersonalToken(
  services: CoreServices,
  request: OrganizationRequest & { readonly tokenId: string },
): Promise<void> {
  const { actor, tokenId } = request;
  const storedToken = (await readOrganizationTokens(services, request)).find((one) => one.tokenId === tokenId);
  const isOwn = actor.kind === 'person' && actor.accountId === storedToken?.accountId;
  const action = isOwn ? 'tokens:revokeOwn' : 'tokens:revokeAny';
  await changeOrganization(services, { ...request, action }, async () => {
    const token = storedToken && (await services.table.get(personalTokens, storedToken, { consistent: true }));
    if (!token) throw notFound('Token');
    if (token.revokedAt !== undefined) return { result: undefined };
    return {
      result: undefined,
      writes: [update(personalTokens, token, { set: [['revokedAt', services.now()]] }, UNREVOKED)],
      record: { action: 'token revoked', subject: tokenId, label: token.name, detail: token.name },
    };
  });
}
