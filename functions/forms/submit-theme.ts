import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { linkToAccount } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { makeThemeCookie, THEMES } from '#shared/sign-in/cookies.ts';

export const handler = form({
  operationId: 'submitTheme',
  route: 'POST /account/theme',
  needs: 'account',
  access: { table: 'read', artifacts: 'none' },
  fields: z.object({ theme: z.enum(THEMES) }),
  page: 'showAccount',
  submit: ({ visit, fields }) => redirect(linkToAccount(visit), { cookies: [makeThemeCookie(fields.theme)] }),
});
