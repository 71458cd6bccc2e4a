import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { ConfirmationCodePage } from '#shared/pages/account/confirm-page.tsx';
import { form } from '#shared/platform/page.ts';
import { createOwnCode } from '#shared/sign-in/confirmation-codes.ts';

export const handler = form({
  operationId: 'submitOwnCode',
  route: 'POST /account',
  needs: 'account',
  fresh: 'create a confirmation code',
  access: { table: 'readWrite', writes: [confirmationCodes, auditRecords], artifacts: 'none' },
  page: 'showAccount',
  async submit({ visit }, services) {
    const createdCode = await createOwnCode(services, { actor: visit.person });
    return { title: 'Confirmation code', hasSecret: true, body: <ConfirmationCodePage created={createdCode} /> };
  },
});
