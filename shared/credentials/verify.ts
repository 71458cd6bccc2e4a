/**
 * §5.1, §5.2 From a credential value to the caller it stands for. Every refusal of a well-formed value costs the same
 * reads in the same order. Store trouble is thrown on, never taken for a wrong credential.
 */
import { type ApiKey, apiKeys } from '../resources/api-key.ts';
import { type Membership, memberships } from '../resources/membership.ts';
import { type Organization, organizations } from '../resources/organization.ts';
import { type PersonalToken, personalTokens } from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';
import type { Table } from '../table/table.ts';
import type { Caller } from './caller.ts';
import { noteUse } from './last-use.ts';
import { hashToken, sameHash, tokenKind } from './token.ts';

type Services = Pick<Administration, 'table' | 'now'>;

type Credential =
  | { readonly kind: 'apiKey'; readonly key: ApiKey }
  | { readonly kind: 'personalToken'; readonly token: PersonalToken };

/** Ids of nothing, read where there is no credential that would name others. */
const NOBODY = { organizationId: '-', accountId: '-' };

/** `undefined` for every reason alike (§5.4: deliberately indistinguishable). */
export async function verifyCredential(services: Services, value: string | undefined): Promise<Caller | undefined> {
  const kind = value === undefined ? undefined : tokenKind(value);
  if (value === undefined || kind === undefined) return undefined;
  const { table, now } = services;
  const credential = await find(table, kind, hashToken(value));
  const { organization, membership } = await standing(table, credential);
  if (!credential || !organization || organization.deactivatedAt !== undefined) return undefined;
  if (credential.kind === 'apiKey') return callerOfKey(credential.key);
  if (!holds(credential.token, membership, now())) return undefined;
  await noteUse(services, credential.token);
  return callerOfToken(credential.token);
}

async function find(table: Table, kind: Credential['kind'], hash: string): Promise<Credential | undefined> {
  if (kind === 'apiKey') {
    const key = await table.get(apiKeys, { hash }, { consistent: true });
    return key && sameHash(key.hash, hash) ? { kind, key } : undefined;
  }
  const token = await table.get(personalTokens, { hash }, { consistent: true });
  return token && sameHash(token.hash, hash) ? { kind, token } : undefined;
}

interface Standing {
  readonly organization: Organization | undefined;
  readonly membership: Membership | undefined;
}

/** Read anew on every request: what was taken away a moment ago is gone. */
async function standing(table: Table, credential: Credential | undefined): Promise<Standing> {
  const of = credential ? ownerOf(credential) : NOBODY;
  const [organization, membership] = await Promise.all([
    table.get(organizations, of, { consistent: true }),
    table.get(memberships, of, { consistent: true }),
  ]);
  return { organization, membership };
}

/** A key names no account, yet costs the same reads. */
const ownerOf = (credential: Credential) =>
  credential.kind === 'apiKey' ? { ...NOBODY, organizationId: credential.key.organizationId } : credential.token;

/** §5.2 "When a token stops working", in the order of security: dead, expired, not a member, of an earlier membership, no Admin. */
const holds = (token: PersonalToken, membership: Membership | undefined, now: number): boolean =>
  token.revokedAt === undefined &&
  now <= token.validUntil &&
  membership !== undefined &&
  membership.startedAt <= token.createdAt &&
  membership.role === 'admin';

const callerOfKey = ({ organizationId, keyId, label, level }: ApiKey): Caller => ({
  kind: 'apiKey',
  organizationId,
  keyId,
  label,
  level,
});

const callerOfToken = ({ organizationId, tokenId, accountId, permissions }: PersonalToken): Caller => ({
  kind: 'personalToken',
  organizationId,
  tokenId,
  accountId,
  permissions,
});
