import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { inviteMember, withdrawInvitation } from '#shared/organizations/invitations.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { InvitedPage, InvitePage } from '#shared/pages/organization/invite-page.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';

export const showInvite = page({
  operationId: 'showInvite',
  route: 'GET /{organizationId}/settings/members/invite',
  lambda: 'settings',
  needs: 'invitations:create',
  fresh: 'invite a person',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }, services) => ({
    title: 'Invite a person',
    tab: 'Members',
    breadcrumbs: [{ name: 'Members', href: linkToOrganizationSettings(visit, 'members') }, { name: 'Invite' }],
    hasSecret: true,
    body: <InvitePage visit={visit} refused={refused} formId={makeFormId(services)} />,
  }),
});

export const submitInvite = form({
  operationId: 'submitInvite',
  route: 'POST /{organizationId}/settings/members/invite',
  needs: 'invitations:create',
  fresh: 'invite a person',
  access: {
    table: 'readWrite',
    writes: [invitations, invitationsBySecret, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, email: z.string(), role: z.enum(ROLES) }),
  page: 'showInvite',
  async submit({ visit, caller, fields }, services) {
    const invitation = await inviteMember(services, { ...caller, ...fields });
    const body = <InvitedPage visit={visit} invitation={invitation} origin={services.origin} />;
    return { title: 'Invitation', tab: 'Members', hasSecret: true, body };
  },
});

/** The email address is a form field, because URLs are logged. */
export const submitWithdrawInvitation = form({
  operationId: 'submitWithdrawInvitation',
  route: 'POST /{organizationId}/settings/members/withdraw',
  needs: 'invitations:withdraw',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [invitations, invitationsBySecret, auditRecords], artifacts: 'none' },
  fields: z.object({ email: z.string() }),
  page: 'showMembers',
  async submit({ visit, caller, fields: { email } }, services) {
    await withdrawInvitation(services, { ...caller, email });
    return redirect(linkToOrganizationSettings(visit, 'members'));
  },
});
