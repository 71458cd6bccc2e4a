/** §5 The credentials in the OpenAPI document, and those that each operation accepts. */
import { isPermission } from '#shared/model/permissions.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { SCOPE_MEANINGS } from './scopes.ts';

/** A placeholder. The served document has the deployment's authorization server instead. */
export const EXAMPLE_ISSUER = 'https://auth.example.com';

/** §5 An operation accepts any one of these credentials. */
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

export function securityOf({ credential, permission, credentialKinds }: Declaration): Record<string, string[]>[] {
  if (credential === 'none') return [];
  // OpenAPI has no security scheme for a key in the body. `{}` allows a request without a header.
  if (credential === 'body') return [{ recordKey: [] }, { apiKey: [] }, {}];
  if (permission === 'record') return [{ recordKey: [] }, { apiKey: [] }];
  const scopes = isPermission(permission) ? [permission] : [];
  return credentialKinds.map((kind) => ({ [kind]: kind === 'accessToken' ? scopes : [] }));
}
