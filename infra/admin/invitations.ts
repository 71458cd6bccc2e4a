/** Inviting people, and joining. */
import {
  invite,
  type ListedInvitation,
  listInvitations,
  withdrawInvitation,
} from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join.ts';
import { command, type Row } from './command.ts';
import { memberRow } from './members.ts';
import { email, organization, role, text } from './options.ts';
import { accountWith, addressesOf, themselves, timeOf } from './rows.ts';

const invitationRow = ({ email, role, createdAt, validUntil }: ListedInvitation): Row => ({
  email,
  role,
  createdAt: timeOf(createdAt),
  validUntil: timeOf(validUntil),
});

export const INVITATIONS = [
  command({
    name: 'members invite',
    does: 'invite somebody by e-mail address; another invitation for it is replaced',
    options: { organization, email: email('the address of the account that may join'), role },
    run: async ({ services, actor }, { organization: organizationId, ...given }) => {
      const invitation = await invite(services, { organizationId, actor, ...given });
      return [{ ...invitationRow(invitation), secret: invitation.secret }];
    },
    advice: ([row]) =>
      `The secret is shown this once. Hand it to ${row?.['email']}, who joins with "members join" until ${row?.['validUntil']}.`,
  }),
  command({
    name: 'members join',
    does: 'join an organization by invitation, once',
    options: {
      email: email('the address of who joins: the one that was invited'),
      secret: text('<secret>', 'the secret of the invitation'),
    },
    run: async (context, { email, secret }) => {
      const actor = await themselves(context, email);
      const membership = await joinOrganization(context.services, { actor, secret });
      const { organizationId } = membership;
      return [{ organizationId, ...memberRow(membership, await accountWith(context.services, email)) }];
    },
  }),
  command({
    name: 'invitations list',
    does: 'list the invitations that nobody has accepted or withdrawn, expired ones among them',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const all = await listInvitations(services, { organizationId, actor });
      const addressOf = await addressesOf(
        services,
        all.map(({ invitedBy }) => invitedBy),
      );
      return all.map((invitation) => ({
        ...invitationRow(invitation),
        invitedBy: addressOf(invitation.invitedBy),
        state: services.now() > invitation.validUntil ? 'expired' : 'open',
      }));
    },
  }),
  command({
    name: 'invitations withdraw',
    does: 'withdraw an invitation, whose secret is void from then on',
    options: { organization, email: email('the address that was invited') },
    run: async ({ services, actor }, { organization: organizationId, email }) => {
      const invitation = await withdrawInvitation(services, { organizationId, email, actor });
      return [{ ...invitationRow(invitation), state: 'withdrawn' }];
    },
  }),
];
