/** §5 Finds the credential of a request in its headers. */
import type { ApiAction } from './actions.ts';

const BEARER = /^bearer ([\x21-\x7e]{1,4096})$/i;

/** Accepts exactly one `Authorization: Bearer` header. The scheme is case-insensitive. */
function parseBearerValue(authorization: readonly string[]): string | undefined {
  const [only, ...more] = authorization;
  return more.length === 0 ? BEARER.exec(only ?? '')?.[1] : undefined;
}

/** Reporters send their record key here. A Bearer credential was added on purpose, so it takes precedence. */
const RECORD_KEY_HEADER = 'x-currents-key';

export function findCredential(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  action: ApiAction,
): string | undefined {
  const listValues = (name: string) =>
    Object.entries(headers).flatMap(([key, headerValues]) => (key.toLowerCase() === name ? (headerValues ?? []) : []));
  const bearer = parseBearerValue(listValues('authorization'));
  if (bearer !== undefined || action !== 'record') return bearer;
  const [recordKey, ...more] = listValues(RECORD_KEY_HEADER);
  return more.length === 0 ? recordKey : undefined;
}
