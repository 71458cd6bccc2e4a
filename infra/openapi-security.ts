/** §5 How the OpenAPI document describes credentials, and what each operation takes. */
import type { Declaration } from '#shared/declaration.ts';
import { SCOPE_MEANINGS } from './scopes.ts';

/** Stands for the deployment's authorization server, which replaces it in the document that is served. */
export const EXAMPLE_ISSUER = 'https://auth.example.com';

/** §5 Any one of them will do. */
export const ANY_CREDENTIAL: Record<string, string[]>[] = [
  { apiKey: [] },
  { personalToken: [] },
  { accessToken: ['results:read'] },
];

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http' as const,
    scheme: 'bearer',
    description: 'An organization API key: `Authorization: Bearer rdn_key_...`',
  },
  personalToken: {
    type: 'http' as const,
    scheme: 'bearer',
    description:
      'A personal access token: `Authorization: Bearer rdn_pat_...`. It needs the permission that the operation names',
  },
  accessToken: {
    type: 'oauth2' as const,
    description:
      'An OAuth 2.0 access token for this API (RFC 9068), if the deployment has an authorization server: `GET /.well-known/oauth-protected-resource` names it',
    flows: {
      authorizationCode: {
        authorizationUrl: `${EXAMPLE_ISSUER}/api/auth/oauth2/authorize`,
        tokenUrl: `${EXAMPLE_ISSUER}/api/auth/oauth2/token`,
        scopes: SCOPE_MEANINGS,
      },
    },
  },
  recordKey: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'x-currents-key',
    description: 'An organization API key with Read & Write, as reporters send it',
  },
};

export function securityOf({ credential, permission, callers }: Declaration): Record<string, string[]>[] {
  if (credential !== 'header') return [];
  if (permission === 'record') return [{ recordKey: [] }, { apiKey: [] }];
  const scopes = permission === 'anyCredential' || permission === 'public' ? [] : [permission];
  return callers.map((kind) => ({ [kind]: kind === 'accessToken' ? scopes : [] }));
}
