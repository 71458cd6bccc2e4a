/** §4.5 The response schema of RFC 9728 metadata. */
import * as z from 'zod';
import { SCOPES } from '#shared/model/organizations/permissions.ts';

export const ProtectedResource = z
  .object({
    resource: z.string().meta({ description: 'The audience that tokens must have' }),
    authorization_servers: z.array(z.string()).meta({ description: 'The issuers whose tokens are accepted' }),
    scopes_supported: z.array(z.enum(SCOPES)),
    bearer_methods_supported: z.array(z.string()).length(1),
    resource_name: z.string(),
    resource_documentation: z.string(),
  })
  .meta({ id: 'ProtectedResource' });
