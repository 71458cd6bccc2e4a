/** §5 Finds the credential of a request in its headers. */
import type { ApiAction } from './actions.ts';

const BEARER = /^bearer ([\x21-\x7e]{1,4096})$/i;

/**
 * The value of a Bearer credential. Accepts exactly one `Authorization: Bearer` header. The scheme is case-insensitive.
 */
function bearerValue(authorization: readonly string[]): string | undefined {
  const [only, ...more] = authorization;
  return more.length === 0 ? BEARER.exec(only ?? '')?.[1] : undefined;
}

/**
 * Reporters send their record key in this header. If a request also has a Bearer credential, a person must have added
 * it on purpose, so it takes precedence.
 */
const RECORD_KEY_HEADER = 'x-currents-key';

export function credentialOf(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  action: ApiAction,
): string | undefined {
  const values = (name: string) =>
    Object.entries(headers).flatMap(([key, given]) => (key.toLowerCase() === name ? (given ?? []) : []));
  const bearer = bearerValue(values('authorization'));
  if (bearer !== undefined || action !== 'record') return bearer;
  const [recordKey, ...more] = values(RECORD_KEY_HEADER);
  return more.length === 0 ? recordKey : undefined;
}
