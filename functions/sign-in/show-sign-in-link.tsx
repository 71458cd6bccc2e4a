import { SignInLinkPage } from '#shared/pages/account/sign-in-page.tsx';
import { page } from '#shared/platform/page.ts';

/** The page does not show whom the link is for, because the link scanners of email providers open it too. */
export const handler = page({
  operationId: 'showSignInLink',
  route: 'GET /sign-in/link',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({ title: 'Sign in', body: <SignInLinkPage visit={visit} refused={refused} /> }),
});
