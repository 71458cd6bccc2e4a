/** §5 Finds the credential of a request in its headers. */
import type { ApiAction } from './actions.ts';

const BEARER = /^bearer +([\x21-\x7e]{1,4096})$/i;

/** Accepts exactly one `Authorization: Bearer` header. The scheme is case-insensitive, with spaces after it (RFC 9110). */
function parseBearerValue(authorization: readonly string[]): string | undefined {
  const [only, ...more] = authorization;
  return more.length === 0 ? BEARER.exec(only ?? '')?.[1] : undefined;
}

/** Reporters send their record key here. A Bearer credential was added on purpose, so it takes precedence. */
const RECORD_KEY_HEADER = 'x-currents-key';

export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>;

/** `name`: in lower case. */
export const listHeaderValues = (headers: HeaderValues, name: string): readonly string[] =>
  Object.entries(headers).flatMap(([key, values]) => (key.toLowerCase() === name ? (values ?? []) : []));

export function findCredential(headers: HeaderValues, action: ApiAction): string | undefined {
  const bearer = parseBearerValue(listHeaderValues(headers, 'authorization'));
  if (bearer !== undefined || action !== 'record') return bearer;
  const [recordKey, ...more] = listHeaderValues(headers, RECORD_KEY_HEADER);
  return more.length === 0 ? recordKey : undefined;
}
