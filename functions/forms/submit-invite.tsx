import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { InvitedPage } from '#shared/pages/organization/invite-page.tsx';
import { form } from '#shared/platform/page.ts';

export const handler = form({
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
