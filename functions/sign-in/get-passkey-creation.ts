import { makeJsonContent } from '#shared/engine/http/content.ts';
import { challengeSecret } from '#shared/model/sign-in/challenge.ts';
import { page } from '#shared/platform/page.ts';
import { makePasskeyCreationOptions } from '#shared/sign-in/register-passkey.ts';

export const handler = page({
  operationId: 'getPasskeyCreation',
  route: 'GET /account/passkeys/options',
  needs: 'account',
  fresh: 'add a passkey',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none' },
  show: async ({ visit }, services) => makeJsonContent(await makePasskeyCreationOptions(services, visit.account)),
});
