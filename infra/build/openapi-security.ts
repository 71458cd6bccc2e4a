/** §5 The credentials of the OpenAPI document, and what each operation needs. */
import { findRequiredScope } from '#shared/access/actions.ts';
import { SCOPE_MEANINGS } from '#shared/access/scope-meanings.ts';
import type { Declaration } from '#shared/platform/declaration.ts';

/** A placeholder. The served document contains the issuer of the deployment instead. */
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

export function buildSecurity({ credential, permission, credentialKinds }: Declaration): Record<string, string[]>[] {
  if (credential === 'none') return [];
  // OpenAPI has no security scheme for a key in the body. `{}` allows a request without a header.
  if (credential === 'body') return [{ recordKey: [] }, { apiKey: [] }, {}];
  if (permission === 'record') return [{ recordKey: [] }, { apiKey: [] }];
  const scope = findRequiredScope(permission);
  const scopes = scope === undefined ? [] : [scope];
  return credentialKinds.map((kind) => ({ [kind]: kind === 'accessToken' ? scopes : [] }));
}

export function describePermission({ permission, credential }: Declaration): string {
  if (permission === 'public') return 'Needs no credential.';
  const scope = findRequiredScope(permission);
  if (scope !== undefined) return `Permission: \`${scope}\`.`;
  if (permission !== 'record') return 'Needs any valid credential.';
  const where = credential === 'body' ? ', in a header or in the body as `recordKey`' : '';
  return `Needs an API key with Read & Write${where}.`;
}
