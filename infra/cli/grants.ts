/** §5.3 The commands for applications that act on behalf of people. */
import type { ListedGrant } from '#shared/model/organizations/oauth-grant.ts';
import { listGrantsOf, revokeGrantOf } from '#shared/oauth/grants.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { email, organization, textOption } from './options.ts';
import { accountWith, timeCell } from './rows.ts';

const grantRow = (grant: ListedGrant, owner: string): CommandRow => ({
  grantId: grant.hash,
  email: owner,
  clientId: grant.clientId,
  clientName: grant.clientName ?? '',
  resource: grant.resource,
  scopes: grant.scopes.join(','),
  createdAt: timeCell(grant.createdAt),
  renewedAt: timeCell(grant.renewedAt),
  endsAt: timeCell(grant.expiresAt * 1000),
});

const HOLDER = { organization, email: email('address of the person for whom the applications act') };

interface Given {
  readonly organization: string;
  readonly email: string;
}

async function holderOf({ services, actor }: CommandContext, { organization: organizationId, email }: Given) {
  const { accountId } = await accountWith(services, email);
  return { organizationId, accountId, actor };
}

export const GRANTS = [
  command({
    name: 'grants list',
    does: 'list the applications that act for a person in an organization, oldest first',
    options: HOLDER,
    run: async (context, given) => {
      const grants = await listGrantsOf(context.services, await holderOf(context, given));
      return grants.map((grant) => grantRow(grant, given.email));
    },
  }),
  command({
    name: 'grants revoke',
    does: 'disconnect an application; its last access token works for at most one more hour',
    options: { ...HOLDER, grant: textOption('<grant id>', 'id from "grants list"') },
    run: async (context, { grant: hash, ...given }) => {
      await revokeGrantOf(context.services, { ...(await holderOf(context, given)), hash });
      return [{ grantId: hash, state: 'revoked' }];
    },
  }),
];
