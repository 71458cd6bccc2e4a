import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { maskObjectWithin } from '#shared/masking/masking.ts';
import { formatTabTitle } from '#shared/pages/design/outcome.tsx';
import { getSharedTitle, SharedPage } from '#shared/pages/shares/shared-page.tsx';
import { getContextOutcome } from '#shared/pages/tests/attempts.tsx';
import { page } from '#shared/platform/page.ts';
import { listTestFiles } from '#shared/results/test-files.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import { readShare } from '#shared/shares/open-share.ts';
import { readShared, SharedQuery } from '#shared/shares/read-shared.ts';
import { READ_FOR_SHARES } from '#shared/shares/rows.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';

export const handler = page({
  operationId: 'showSharedResult',
  route: 'GET /shared/result',
  needs: 'public',
  access: { table: 'read', reads: READ_FOR_SHARES, artifacts: 'read' },
  query: SharedQuery.pick({ instance_id: true, test_id: true, attempt: true, page: true }),
  async show({ visit, query, header }, services) {
    const share = await readShare(services, readCookies(header('cookie')).share);
    const { context: unmaskedContext } = await readShared(services, share, { ...query, limit: SHARE_LIMITS.pageTests });
    const { shown: context } = maskObjectWithin(unmaskedContext, CONTEXT_LIMITS.maskedCharacters);
    const files = context.level === 'test' ? await listTestFiles(services, { ...share, ...context.meta }) : [];
    const mark = context.level === 'test' ? `${formatTabTitle(getContextOutcome(context))} · ` : '';
    return {
      title: `${mark}${getSharedTitle(context)} · shared by ${share.sharedBy}`,
      hasSecret: true,
      isShared: true,
      body: <SharedPage {...{ visit, share, context, files }} page={query.page} />,
    };
  },
});
