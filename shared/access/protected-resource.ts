/** §4.5 The RFC 9728 metadata of the API and of the MCP server, which names their authorization server. */
import type * as z from 'zod';
import { isWrite, PERMISSIONS, SCOPES } from '#shared/model/organizations/permissions.ts';
import type { Services } from '#shared/services.ts';
import type { ProtectedResource } from './protected-resource-wire.ts';

type Addresses = Pick<Services, 'origin' | 'oauthIssuer'>;

/** The read permissions that the role Member allows: all except `webhooks:read`, which only Admins have. */
export const READS_OF_MEMBERS = PERMISSIONS.filter(
  (permission) => !isWrite(permission) && permission !== 'webhooks:read',
);

/** The guide for people who write programs. RFC 9728 and RFC 8414 ask for a page that people can read. */
export const DOCUMENTATION_PATH = '/docs/api';

/** The address of the metadata of the MCP server. */
export const getMcpMetadataUrl = (origin: string): string => `${origin}/.well-known/oauth-protected-resource/mcp`;

/** The permissions that at least one tool of the MCP server needs. */
export const SCOPES_OF_TOOLS = SCOPES.filter((scope) => scope !== 'projects:write');

export const describeApiResource = (addresses: Addresses) =>
  describeProtectedResource(addresses, addresses.origin, SCOPES);

/** MCP clients request all scopes that are listed, so few are. Tokens for the API and MCP are not interchangeable. */
export const describeMcpResource = (addresses: Addresses) =>
  describeProtectedResource(addresses, `${addresses.origin}/mcp`, READS_OF_MEMBERS);

const describeProtectedResource = (
  { origin, oauthIssuer }: Addresses,
  resource: string,
  scopes: readonly (typeof SCOPES)[number][],
): z.input<typeof ProtectedResource> => ({
  resource,
  authorization_servers: [oauthIssuer],
  scopes_supported: [...scopes],
  bearer_methods_supported: ['header'],
  resource_name: 'Rundown',
  resource_documentation: `${origin}${DOCUMENTATION_PATH}`,
});
