/** §5.3 The paths of the authorization server and of its metadata documents (RFC 8414, OpenID Connect Discovery). */
import { COMMAND_LINE } from './applications.ts';

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
export const listResources = (apiOrigin: string): readonly string[] => [apiOrigin, getMcpResource(apiOrigin)];

/** Clients that name no resource are agents, except for our own command. */
export const pickDefaultResource = (apiOrigin: string, clientId: string | undefined): string =>
  clientId === COMMAND_LINE ? apiOrigin : getMcpResource(apiOrigin);

/**
 * The resource that a client means. Agents write the address of the MCP server with a slash at the end or in capitals,
 * or name the origin with a slash. The origin exactly as in the metadata of the REST API is the REST API.
 */
export function resolveResource(apiOrigin: string, clientId: string | undefined, resource: string): string {
  if (listResources(apiOrigin).includes(resource)) return resource;
  const url = URL.parse(resource);
  if (url?.search !== '' || url.hash !== '' || url.username !== '') return resource;
  const address = url.origin + url.pathname.replace(/\/$/, '');
  if (address === apiOrigin) return pickDefaultResource(apiOrigin, clientId);
  return address === getMcpResource(apiOrigin) ? address : resource;
}

export const getMcpResource = (apiOrigin: string): string => `${apiOrigin}/mcp`;
