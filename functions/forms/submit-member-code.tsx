import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { ConfirmationCodePage } from '#shared/pages/account/confirm-page.tsx';
import { form } from '#shared/platform/page.ts';
import { createCodeForMember } from '#shared/sign-in/confirmation-codes.ts';

export const handler = form({
  operationId: 'submitMemberCode',
  route: 'POST /{organizationId}/settings/members',
  needs: 'members:confirm',
  fresh: 'confirm a member',
  access: { table: 'readWrite', writes: [confirmationCodes, auditRecords], artifacts: 'none' },
  fields: z.object({ accountId: id }),
  page: 'showMembers',
  async submit({ caller, fields: { accountId } }, services) {
    const { name, ...createdCode } = await createCodeForMember(services, { ...caller, accountId });
    const body = <ConfirmationCodePage created={createdCode} name={name} />;
    return { title: 'Confirmation code', tab: 'Members', hasSecret: true, body };
  },
});
