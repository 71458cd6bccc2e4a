/** §4.5 RFC 9728: what the API is as a protected resource, and who issues tokens for it. */
import * as z from 'zod';
import { SCOPES } from '../resources/permissions.ts';
import type { Services } from '../services.ts';

export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

export const ProtectedResource = z
  .object({
    resource: z.string().meta({ description: 'The audience of tokens for it' }),
    authorization_servers: z
      .array(z.string())
      .optional()
      .meta({ description: 'Who issues them; absent where access tokens are not accepted' }),
    scopes_supported: z.array(z.enum(SCOPES)),
    bearer_methods_supported: z.tuple([z.literal('header')]),
    resource_name: z.string(),
    resource_documentation: z.string(),
  })
  .meta({ id: 'ProtectedResource' });

/** `path`: of a resource beside the API itself, such as `/mcp`. Its tokens are refused by the API, and the other way round. */
export const protectedResource = (
  { origin, oauthIssuer }: Pick<Services, 'origin' | 'oauthIssuer'>,
  path = '',
): z.input<typeof ProtectedResource> => ({
  resource: `${origin}${path}`,
  // Section 3.2: what has no value is left out.
  ...(oauthIssuer === undefined ? {} : { authorization_servers: [oauthIssuer] }),
  scopes_supported: [...SCOPES],
  bearer_methods_supported: ['header'],
  resource_name: 'Rundown',
  resource_documentation: `${origin}/v1/docs/openapi.json`,
});
