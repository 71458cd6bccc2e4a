/** §5.3 The paths of the authorization server and of its metadata documents (RFC 8414, OpenID Connect Discovery). */
const BASE = '/api/auth/oauth2';

export const PATHS = {
  authorization: `${BASE}/authorize`,
  token: `${BASE}/token`,
  revocation: `${BASE}/revoke`,
  registration: `${BASE}/register`,
  jwks: `${BASE}/jwks`,
} as const;

export const METADATA_PATHS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const;

/** The resource indicators (RFC 8707) of the REST API and of MCP. A token is valid for only one of them. */
export const listResources = (apiOrigin: string): readonly string[] => [apiOrigin, `${apiOrigin}/mcp`];
