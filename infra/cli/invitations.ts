/** §5 The commands for invitations. */
import {
  invite,
  type ListedInvitation,
  listInvitations,
  withdrawInvitation,
} from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import { invitationLink } from '#shared/pages/shell/hrefs.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { type CommandRow, command } from './command.ts';
import { memberRow } from './members.ts';
import { email, optional, organization, role, textOption } from './options.ts';
import { accountWith, addressesOf, personWith, timeCell } from './rows.ts';

const invitationRow = ({ email, role, createdAt, validUntil }: ListedInvitation): CommandRow => ({
  email,
  role,
  createdAt: timeCell(createdAt),
  validUntil: timeCell(validUntil),
});

export const INVITATIONS = [
  command({
    name: 'members invite',
    does: 'invite a person by email address; the invitation replaces an earlier one',
    options: {
      organization,
      email: email('address of the invited person'),
      role,
      origin: optional(
        textOption('<URL>', 'origin of the service, to print a link; with --table, the stack output DashboardUrl'),
      ),
    },
    run: async (
      { services, actor },
      { organization: organizationId, origin = process.env[ENVIRONMENT.publicOrigin], ...given },
    ) => {
      const { secret, ...invitation } = await invite(services, { organizationId, actor, ...given });
      return [{ ...invitationRow(invitation), secret, ...(origin ? { link: invitationLink(origin, secret) } : {}) }];
    },
    advice: ([row]) =>
      `The secret is shown only once. Send ${row?.['link'] ? 'the link' : 'it'} to ${row?.['email']}, who can join with it until ${row?.['validUntil']}.`,
  }),
  command({
    name: 'members join',
    does: 'join an organization with an invitation',
    options: {
      email: email('invited address'),
      secret: textOption('<secret>', 'secret of the invitation'),
    },
    run: async (context, { email, secret }) => {
      const actor = await personWith(context, email);
      const membership = await joinOrganization(context.services, { actor, secret });
      const { organizationId } = membership;
      return [{ organizationId, ...memberRow(membership, await accountWith(context.services, email)) }];
    },
  }),
  command({
    name: 'invitations list',
    does: 'list the open and expired invitations of an organization',
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
    does: 'withdraw an invitation and invalidate its secret',
    options: { organization, email: email('invited address') },
    run: async ({ services, actor }, { organization: organizationId, email }) => {
      const invitation = await withdrawInvitation(services, { organizationId, email, actor });
      return [{ ...invitationRow(invitation), state: 'withdrawn' }];
    },
  }),
];
