/** §5 The credential that a request carries, as its operation takes it. */
import type { Requirement } from '../resources/permissions.ts';

const BEARER = /^bearer ([\x21-\x7e]{1,4096})$/i;

/** The value of exactly one `Authorization: Bearer` header; the scheme is case-insensitive. */
function bearerValue(authorization: readonly string[]): string | undefined {
  const [only, ...more] = authorization;
  return more.length === 0 ? BEARER.exec(only ?? '')?.[1] : undefined;
}

/** Reporters send their record key in a header of their own. */
const RECORD_KEY_HEADER = 'x-currents-key';

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
