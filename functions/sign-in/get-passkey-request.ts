import { makeJsonContent } from '#shared/engine/http/content.ts';
import { challengeSecret } from '#shared/model/sign-in/challenge.ts';
import { page } from '#shared/platform/page.ts';
import { makePasskeyRequestOptions } from '#shared/sign-in/use-passkey.ts';

export const handler = page({
  operationId: 'getPasskeyRequest',
  route: 'GET /sign-in/passkey/options',
  needs: 'visitor',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none' },
  show: async (_, services) => makeJsonContent(await makePasskeyRequestOptions(services, { kind: 'signIn' })),
});
