/** §5.2 Making and revoking personal access tokens. */
import { invalidRequest, notFound, refuse } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Person } from '../organizations/actor.ts';
import { change } from '../organizations/change.ts';
import type { Question } from '../organizations/rights.ts';
import { withReads } from '../resources/permissions.ts';
import { type PersonalToken, personalTokens, tokensOfOrganization, UNREVOKED } from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put, update } from '../table/writes.ts';
import { DEFAULT_LIFETIME, validUntilOf } from './expiry.ts';
import { type ListedToken, listedToken } from './list-personal-tokens.ts';
import { createToken, hashToken } from './token.ts';
import { tokensOf } from './tokens-of.ts';

const TOKEN_ID_CHARACTERS = 16;

export interface TokenRequest {
  readonly organizationId: string;
  /** The owner, who is always the one who makes it. */
  readonly actor: Person;
  readonly name: string;
  readonly description?: string | undefined;
  readonly permissions: readonly string[];
  readonly lifetime?: string | undefined;
}

/** The value is returned once and never again. */
export function createPersonalToken(
  services: Administration,
  request: TokenRequest,
): Promise<ListedToken & { readonly value: string }> {
  const { now, randomId } = services;
  const { organizationId, actor } = request;
  return change(services, { organizationId, actor, right: 'create a token' }, ({ membership, organization }) => {
    const value = createToken('personalToken');
    const token: PersonalToken = {
      ...inputsOf(request),
      organizationId,
      accountId: actor.accountId,
      hash: hashToken(value),
      tokenId: randomId(TOKEN_ID_CHARACTERS),
      lastFour: value.slice(-4),
      // Of this membership, even where the clock that began it was ahead of this one.
      createdAt: Math.max(now(), membership?.startedAt ?? 0),
      validUntil: validUntilOf(request.lifetime ?? DEFAULT_LIFETIME, now()),
    };
    return {
      result: { ...listedToken(token, organization, now()), value },
      writes: [put(personalTokens, token, ABSENT), put(tokensOfOrganization, token)],
      record: { action: 'token created', subject: token.tokenId, detail: token.name },
    };
  });
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

/** By its owner or any Admin of the organization, at once and for ever. */
export async function revokePersonalToken(
  services: Administration,
  of: Question & { readonly tokenId: string },
): Promise<void> {
  const { actor, tokenId } = of;
  const known = (await tokensOf(services, of)).find((one) => one.tokenId === tokenId);
  const isOwn = actor.kind === 'person' && actor.accountId === known?.accountId;
  await change(services, { ...of, right: isOwn ? 'revoke an own token' : 'revoke any token' }, async () => {
    const token = known && (await services.table.get(personalTokens, known, { consistent: true }));
    if (!token) throw notFound('Token');
    if (token.revokedAt !== undefined) return { result: undefined };
    return {
      result: undefined,
      writes: [update(personalTokens, token, { set: [['revokedAt', services.now()]] }, UNREVOKED)],
      record: { action: 'token revoked', subject: tokenId, detail: token.name },
    };
  });
}
