/** The values of the header `WWW-Authenticate` (RFC 6750, RFC 9728). API Gateway sends it, because it renames that of a function. */
import type { Scope } from '#shared/model/organizations/permissions.ts';
import { getMcpMetadataUrl, READS_OF_MEMBERS } from './protected-resource.ts';

/** §5.4 Of a 403. */
export const formatChallenge = (permission: Scope): string =>
  `Bearer error="insufficient_scope", scope="${permission}"`;

/** Of a 403 of a tool call. It lets MCP clients ask the person for the permission, and then call the tool again. */
export const formatStepUpChallenge = (permission: Scope, origin: string): string =>
  `${formatChallenge(permission)}, resource_metadata="${getMcpMetadataUrl(origin)}"`;

/**
 * Of a 401. The gateway has one for all routes, so it names the document of the MCP server, whose clients read it. Other
 * clients must not use it (RFC 9728 section 3.3), because it is not about the resource that they asked.
 */
export const formatSignInChallenge = (origin: string): string =>
  `${PLAIN_CHALLENGE}, error="invalid_token", scope="${READS_OF_MEMBERS.join(' ')}", resource_metadata="${getMcpMetadataUrl(origin)}"`;

/** Of a 401 of a deployment without a domain of its own, which cannot issue tokens. */
export const PLAIN_CHALLENGE = 'Bearer realm="rundown"';
