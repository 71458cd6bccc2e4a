import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { SignInPage } from '#shared/pages/sign-in-page.tsx';
import { page } from '#shared/platform/page.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { returnPathFrom } from '#shared/sign-in/return-path.ts';

const returnQuery = z.object({ return_to: z.string().max(SIGN_IN_LIMITS.returnPathCharacters).optional() });

export const handler = page({
  operationId: 'showSignIn',
  route: 'GET /sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  show({ visit, query }, { origin }) {
    const returnTo = returnPathFrom(query.return_to, origin);
    if ('account' in visit) return redirect(visit.base + returnTo);
    return { title: 'Sign in', body: <SignInPage visit={visit} /> };
  },
});
