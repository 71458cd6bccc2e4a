/** §5.2, §5.3 Describes the user behind a token. */
import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import type { Services } from '#shared/services.ts';
import type { ApiActor } from './actor.ts';
import { userCredentialRequired } from './errors.ts';
import { listEffectivePermissions } from './may.ts';
import type { Me } from './me-wire.ts';

export async function readMe({ table }: Services, actor: ApiActor): Promise<z.infer<typeof Me>> {
  // This check only narrows the type for the compiler, because the authorizer has already refused API keys.
  if (actor.kind === 'apiKey') throw userCredentialRequired();
  const [account, organization, membership] = await Promise.all([
    table.get(accounts, actor),
    table.get(organizations, actor),
    table.get(memberships, actor),
  ]);
  if (!account || !organization || !membership) throw notFound('Account');
  const { accountId, email, name } = account;
  return {
    accountId,
    email,
    name,
    organization: { organizationId: organization.organizationId, name: organization.name },
    role: membership.role,
    permissions: listEffectivePermissions(actor),
  };
}
