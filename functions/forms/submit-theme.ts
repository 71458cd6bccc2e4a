import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { accountHref } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { THEMES, themeCookie } from '#shared/sign-in/cookies.ts';

export const handler = form({
  operationId: 'submitTheme',
  route: 'POST /account/theme',
  needs: 'account',
  access: { table: 'read', artifacts: 'none' },
  fields: z.object({ theme: z.enum(THEMES) }),
  page: 'showAccount',
  submit: ({ visit, fields }) => redirect(accountHref(visit), { cookies: [themeCookie(fields.theme)] }),
});
