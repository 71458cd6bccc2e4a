/** §5 The security schemes of the OpenAPI document, and those that each operation accepts. */
import { isPermission, type SCOPES } from '#shared/model/organizations/permissions.ts';
import type { Declaration } from '#shared/platform/declaration.ts';

/** §5.2, §5.3 The meaning of each scope, for people who grant it. */
const SCOPE_MEANINGS: Readonly<Record<(typeof SCOPES)[number], string>> = {
  'projects:read': 'See which projects exist, their settings, tags, branches and authors',
  'projects:write': 'Change the configuration of projects',
  'results:read': 'See runs, spec files, test results and the evidence of failures',
  'analytics:read': 'See failure and flake rates, durations and trends',
  'actions:read': 'See the rules that quarantine, skip and tag tests, and what they affected',
  'actions:write': 'Create, change and archive those rules',
  'issues:write': 'Create and link issues in a connected issue tracker',
  'runs:write': 'Cancel and reset runs; delete runs and their files for good',
  'webhooks:read': 'See webhooks with their destinations and headers',
  'webhooks:write': 'Create, change and delete webhooks',
  'shares:write': 'Create links that show test results to anyone who has them',
};

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
