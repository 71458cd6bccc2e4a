/** §5.2, §5.3 The response schema that describes the user behind a token. */
import * as z from 'zod';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';

export const Me = z
  .object({
    accountId: z.string(),
    email: z.string(),
    name: z.string(),
    organization: z.object({ organizationId: z.string(), name: z.string() }),
    role: z.enum(ROLES),
    permissions: z.array(z.enum(SCOPES)),
  })
  .meta({ id: 'Me' });
