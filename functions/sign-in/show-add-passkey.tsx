import { AddPasskeyPage } from '#shared/pages/account/passkeys.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showAddPasskey',
  route: 'GET /account/passkeys/new',
  needs: 'account',
  fresh: true,
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: 'Add a passkey',
    script: 'passkey.js',
    body: <AddPasskeyPage visit={visit} refused={refused} />,
  }),
});
