import { makeJsonContent } from '#shared/engine/http/content.ts';
import { challengeSecret } from '#shared/model/sign-in/challenge.ts';
import { page } from '#shared/platform/page.ts';
import { makePasskeyRequestOptions } from '#shared/sign-in/use-passkey.ts';

export const handler = page({
  operationId: 'getConfirmRequest',
  route: 'GET /sign-in/confirm/options',
  needs: 'account',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none' },
  show: async ({ visit: { account } }, services) =>
    makeJsonContent(await makePasskeyRequestOptions(services, { kind: 'confirm', accountId: account.accountId })),
});
