import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { shares } from '#shared/model/organizations/share.ts';
import { linkToSharedResult } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { openShare } from '#shared/shares/open-share.ts';
import { READ_FOR_SHARES } from '#shared/shares/rows.ts';
import { makeShareCookie } from '#shared/sign-in/cookies.ts';

export const handler = form({
  operationId: 'submitShared',
  route: 'POST /shared',
  needs: 'public',
  access: { table: 'readUpdate', reads: READ_FOR_SHARES, writes: [shares], artifacts: 'none' },
  fields: z.object({ secret: z.string().trim() }),
  page: 'showShared',
  async submit({ visit, fields: { secret } }, services) {
    const { expiresAt } = await openShare(services, secret);
    const cookies = [makeShareCookie(secret, expiresAt - services.now() / 1000)];
    return redirect(linkToSharedResult(visit), { cookies });
  },
});
