/** §5.1 From a credential value to the caller it stands for. Store trouble is thrown on, never taken for a wrong credential. */
import { apiKeys } from '../resources/api-key.ts';
import type { Table } from '../table/table.ts';
import type { Caller, Denial } from './caller.ts';
import { changesSomething, type Requirement } from './permissions.ts';
import { hashToken, sameHash, tokenKind } from './token.ts';

/** `undefined` for every reason alike (§5.4: deliberately indistinguishable). */
export async function verifyCredential(table: Table, value: string | undefined): Promise<Caller | undefined> {
  if (value === undefined || tokenKind(value) === undefined) return undefined;
  const hash = hashToken(value);
  const key = await table.get(apiKeys, { hash }, { consistent: true });
  if (!key || !sameHash(key.hash, hash)) return undefined;
  const { organizationId, keyId, label, level } = key;
  return { kind: 'apiKey', organizationId, keyId, label, level };
}

/** §5.4 What the caller may not do, or `undefined`. */
export function denialFor(caller: Caller, requirement: Requirement): Denial | undefined {
  return changesSomething(requirement) && caller.level === 'readOnly' ? 'readOnlyKey' : undefined;
}

const BEARER = /^bearer ([\x21-\x7e]{1,512})$/i;

/** The value of exactly one `Authorization: Bearer` header; the scheme is case-insensitive. */
function bearerValue(authorization: readonly string[]): string | undefined {
  const [only, ...more] = authorization;
  return more.length === 0 ? BEARER.exec(only ?? '')?.[1] : undefined;
}

/** Reporters send their record key in a header of their own. */
const RECORD_KEY_HEADER = 'x-currents-key';

/** The credential a request carries, as the operation takes it. */
export function credentialOf(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  requirement: Requirement,
): string | undefined {
  const values = (name: string) =>
    Object.entries(headers).flatMap(([key, given]) => (key.toLowerCase() === name ? (given ?? []) : []));
  const [recordKey, ...more] = requirement === 'record' ? values(RECORD_KEY_HEADER) : [];
  if (recordKey === undefined) return bearerValue(values('authorization'));
  return more.length === 0 ? recordKey : undefined;
}
