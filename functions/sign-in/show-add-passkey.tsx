import { AddPasskeyPage } from '#shared/pages/account/passkeys.tsx';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { page } from '#shared/platform/page.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';

export const handler = page({
  operationId: 'showAddPasskey',
  route: 'GET /account/passkeys/new',
  needs: 'account',
  fresh: 'add a passkey',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  show({ visit, query, refused }, { origin }) {
    const text = findSentValue(refused, 'submitAddPasskey', 'return_to') ?? query.return_to;
    const returnTo = text === undefined ? undefined : sanitizeReturnPath(text, origin);
    return {
      title: 'Add a passkey',
      script: 'passkey.js',
      body: <AddPasskeyPage {...{ visit, refused, returnTo }} />,
    };
  },
});
