/** §4.5 RFC 9728: describes the API as a protected resource, and names its authorization server. */
import type * as z from 'zod';
import { SCOPES } from '#shared/model/permissions.ts';
import type { Services } from '#shared/services.ts';
import type { ProtectedResource } from './protected-resource-wire.ts';

/** `path` names another resource, such as `/mcp`. The API refuses its tokens, and it refuses those of the API. */
export const protectedResource = (
  { origin, oauthIssuer }: Pick<Services, 'origin' | 'oauthIssuer'>,
  path = '',
): z.input<typeof ProtectedResource> => ({
  resource: `${origin}${path}`,
  // RFC 9728 section 3.2: members without a value are omitted.
  ...(oauthIssuer === undefined ? {} : { authorization_servers: [oauthIssuer] }),
  scopes_supported: [...SCOPES],
  bearer_methods_supported: ['header'],
  resource_name: 'Rundown',
  resource_documentation: `${origin}/v1/docs/openapi.json`,
});
