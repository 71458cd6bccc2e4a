/** §5 The commands for members of an organization and for invitations. */

import { requirePermission } from '#shared/access/may.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Membership } from '#shared/model/organizations/membership.ts';
import { createAccount, findAccount } from '#shared/organizations/create-account.ts';
import {
  inviteMember,
  type ListedInvitation,
  listInvitations,
  withdrawInvitation,
} from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  listPeople,
  removeMember,
} from '#shared/organizations/members.ts';
import { buildInvitationUrl } from '#shared/pages/shell/hrefs.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { makeAddressLookup, requireAccount, requireMemberAccount, requirePerson } from './account-lookup.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { email, optional, organization, role, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';

const toMemberRow = ({ accountId, role, startedAt }: Membership, account: Account | undefined): CommandRow => ({
  accountId,
  email: account?.email ?? '',
  name: account?.name ?? '',
  role,
  since: formatTimeCell(startedAt),
});

async function resolveMember(
  { services, actor }: CommandContext,
  { organization: organizationId, email }: { readonly organization: string; readonly email: string },
) {
  const account = await requireMemberAccount(services, { organizationId, email });
  return { account, request: { organizationId, accountId: account.accountId, actor } };
}

const toEndedRows = ({ accountId, email }: Account, state: string, { admins }: { admins: number }): CommandRow[] => [
  { accountId, email, state, adminsLeft: admins },
];

const MEMBER = { organization, email: email('address of the member') };

const toInvitationRow = ({ email, role, createdAt, validUntil }: ListedInvitation): CommandRow => ({
  email,
  role,
  createdAt: formatTimeCell(createdAt),
  validUntil: formatTimeCell(validUntil),
});

export const MEMBERS = [
  command({
    name: 'members add',
    does: 'add a member without an invitation, and create the account if needed',
    options: {
      ...MEMBER,
      role,
      name: optional(textOption('<name>', 'name for a new account')),
      'invited-by': optional(
        textOption(
          '<id>',
          'id of the organization whose invitation created the account, to confirm that you know the person; an error names this id',
        ),
      ),
    },
    run: async ({ services, actor }, { organization: organizationId, email, role, name = email, ...options }) => {
      const invitedBy = options['invited-by'];
      requirePermission(actor, 'members:add');
      const account = (await findAccount(services, email)) ?? (await createAccount(services, { email, name }));
      const { accountId } = account;
      return [toMemberRow(await addMember(services, { organizationId, accountId, role, actor, invitedBy }), account)];
    },
  }),
  command({
    name: 'members list',
    does: 'list the members of an organization with their roles',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const people = await listPeople(services, { organizationId, actor });
      return people.map(({ member, account }) => toMemberRow(member, account));
    },
  }),
  command({
    name: 'members role',
    does: 'change the role of a member; an organization keeps at least one Admin',
    options: { ...MEMBER, role },
    run: async (context, { role, ...options }) => {
      const { account, request } = await resolveMember(context, options);
      return [toMemberRow(await changeRole(context.services, { ...request, role }), account)];
    },
  }),
  command({
    name: 'members remove',
    does: 'remove a member; their tokens stop working immediately',
    options: MEMBER,
    run: async (context, options) => {
      const { account, request } = await resolveMember(context, options);
      return toEndedRows(account, 'removed', await removeMember(context.services, request));
    },
  }),
  command({
    name: 'members leave',
    does: 'leave an organization',
    options: { organization, email: email('address of the member who leaves') },
    run: async (context, { organization: organizationId, email }) => {
      const actor = await requirePerson(context, email);
      const left = await leaveOrganization(context.services, { organizationId, actor });
      return toEndedRows(await requireAccount(context.services, email), 'left', left);
    },
  }),
  command({
    name: 'members deprovision',
    does: 'remove a member, even the last Admin, and revoke their tokens, as SCIM deprovisioning does',
    options: MEMBER,
    run: async (context, options) => {
      const { account, request } = await resolveMember(context, options);
      return toEndedRows(account, 'deprovisioned', await deprovisionMember(context.services, request));
    },
    advice: ([row]) =>
      row?.['adminsLeft'] === '0'
        ? 'The organization has no Admin now. Appoint one with "members role" or "members add".'
        : undefined,
  }),
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
      { organization: organizationId, origin = process.env[ENVIRONMENT.publicOrigin], ...invitee },
    ) => {
      const { secret, ...invitation } = await inviteMember(services, { organizationId, actor, ...invitee });
      const row = { ...toInvitationRow(invitation), secret };
      return [origin ? { ...row, link: buildInvitationUrl(origin, secret) } : row];
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
      const actor = await requirePerson(context, email);
      const membership = await joinOrganization(context.services, { actor, secret });
      const { organizationId } = membership;
      return [{ organizationId, ...toMemberRow(membership, await requireAccount(context.services, email)) }];
    },
  }),
  command({
    name: 'invitations list',
    does: 'list the open and expired invitations of an organization',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const all = await listInvitations(services, { organizationId, actor });
      const addressOf = await makeAddressLookup(
        services,
        all.map(({ invitedBy }) => invitedBy),
      );
      return all.map((invitation) => ({
        ...toInvitationRow(invitation),
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
      return [{ ...toInvitationRow(invitation), state: 'withdrawn' }];
    },
  }),
];
