/** §4.5 RFC 9728: describes the API as a protected resource, and names its authorization server. */
import type * as z from 'zod';
import { isWrite, PERMISSIONS, SCOPES } from '#shared/model/organizations/permissions.ts';
import type { Services } from '#shared/services.ts';
import type { ProtectedResource } from './protected-resource-wire.ts';

type Addresses = Pick<Services, 'origin' | 'oauthIssuer'>;

/** The permissions to read the results of a team. */
export const READS_OF_MEMBERS = PERMISSIONS.filter(
  (permission) => !isWrite(permission) && permission !== 'webhooks:read',
);

export const apiResource = (addresses: Addresses) => protectedResource(addresses, addresses.origin, SCOPES);

/**
 * MCP clients ask for every scope that this document lists, so it lists only those that read a team's results. The API
 * refuses tokens of this resource, and it refuses those of the API.
 */
export const mcpResource = (addresses: Addresses) =>
  protectedResource(addresses, `${addresses.origin}/mcp`, READS_OF_MEMBERS);

const protectedResource = (
  { origin, oauthIssuer }: Addresses,
  resource: string,
  scopes: readonly (typeof SCOPES)[number][],
): z.input<typeof ProtectedResource> => ({
  resource,
  authorization_servers: [oauthIssuer],
  scopes_supported: [...scopes],
  bearer_methods_supported: ['header'],
  resource_name: 'Rundown',
  resource_documentation: `${origin}/v1/docs/openapi.json`,
});
