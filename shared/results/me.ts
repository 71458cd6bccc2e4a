/** §5.2, §5.3 Whom a token acts as. */
import * as z from 'zod';
import { permissionsOf } from '../credentials/authorize.ts';
import type { Caller } from '../credentials/caller.ts';
import { notFound, userCredentialRequired } from '../errors.ts';
import { accounts } from '../resources/account.ts';
import { memberships, ROLES } from '../resources/membership.ts';
import { organizations } from '../resources/organization.ts';
import { PERMISSIONS } from '../resources/permissions.ts';
import type { Services } from '../services.ts';

export const Me = z
  .object({
    accountId: z.string(),
    email: z.string(),
    name: z.string(),
    organization: z.object({ organizationId: z.string(), name: z.string() }),
    role: z.enum(ROLES),
    permissions: z.array(z.enum(PERMISSIONS)),
  })
  .meta({ id: 'Me' });

export async function readMe({ table }: Services, caller: Caller): Promise<z.infer<typeof Me>> {
  // The authorizer has refused those already; the type has to hear it here.
  if (caller.kind === 'apiKey') throw userCredentialRequired();
  const [account, organization, membership] = await Promise.all([
    table.get(accounts, caller),
    table.get(organizations, caller),
    table.get(memberships, caller),
  ]);
  if (!account || !organization || !membership) throw notFound('Account');
  const { accountId, email, name } = account;
  return {
    accountId,
    email,
    name,
    organization: { organizationId: organization.organizationId, name: organization.name },
    role: membership.role,
    permissions: permissionsOf(caller),
  };
}
