import * as z from 'zod';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { openFile } from '#shared/context/open-file.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { maskObjectWithin } from '#shared/masking/mask-object.ts';
import { shares } from '#shared/model/organizations/share.ts';
import { formatTabTitle } from '#shared/pages/design/outcome.tsx';
import { OpenSharePage } from '#shared/pages/shares/open-share-page.tsx';
import { getSharedTitle, SharedPage } from '#shared/pages/shares/shared-page.tsx';
import { linkToSharedResult } from '#shared/pages/shell/hrefs.ts';
import { getContextOutcome } from '#shared/pages/tests/attempts.tsx';
import { makeSharedFileLinks } from '#shared/pages/tests/evidence-links.ts';
import { FilePage } from '#shared/pages/tests/file-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { fileQuery } from '#shared/results/instances/files-wire.ts';
import { linkToFile, listTestFiles } from '#shared/results/instances/test-files.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import { openShare, readShare, requireFileWithin } from '#shared/shares/open-share.ts';
import { readShared, SharedQuery } from '#shared/shares/read-shared.ts';
import { READ_FOR_SHARES } from '#shared/shares/rows.ts';
import { makeShareCookie, readCookies } from '#shared/sign-in/cookies.ts';

/** §5.3 This page shows nothing about the shared result, because link scanners open the page too. */
export const showShared = page({
  operationId: 'showShared',
  route: 'GET /shared',
  lambda: 'shares',
  needs: 'public',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: 'A shared test result',
    hasSecret: true,
    body: <OpenSharePage visit={visit} refused={refused} />,
  }),
});

export const showSharedResult = page({
  operationId: 'showSharedResult',
  route: 'GET /shared/result',
  lambda: 'shares',
  needs: 'public',
  access: { table: 'read', reads: READ_FOR_SHARES, artifacts: 'read' },
  query: SharedQuery.pick({ instance_id: true, test_id: true, attempt: true, page: true }),
  async show({ visit, query, header }, services) {
    const openedShare = await readShare(services, readCookies(header('cookie')).share);
    const { context: unmaskedContext } = await readShared(services, openedShare, {
      ...query,
      limit: SHARE_LIMITS.pageTests,
    });
    const unmaskedTexts = { run: openedShare.run, context: unmaskedContext };
    const { run, context } = maskObjectWithin(unmaskedTexts, CONTEXT_LIMITS.maskedCharacters).shown;
    const share = { ...openedShare, run };
    const files = context.level === 'test' ? await listTestFiles(services, { ...share, ...context.meta }) : [];
    const mark = context.level === 'test' ? `${formatTabTitle(getContextOutcome(context))} · ` : '';
    return {
      title: `${mark}${getSharedTitle(share, context)} · shared by ${share.sharedBy}`,
      hasSecret: true,
      isShared: true,
      body: <SharedPage {...{ visit, share, context, files }} page={query.page} now={services.now()} />,
    };
  },
});

export const submitShared = form({
  operationId: 'submitShared',
  route: 'POST /shared',
  lambda: 'shares',
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

/**
 * The shared page links here instead of to presigned URLs, so that its links stop working as soon as the share has
 * expired or been revoked. A presigned URL that was handed out earlier stays valid for some minutes.
 */
export const getSharedFile = page({
  operationId: 'getSharedFile',
  route: 'GET /shared/files/{instanceId}/{fileId}',
  lambda: 'shares',
  needs: 'public',
  access: { table: 'read', reads: READ_FOR_SHARES, artifacts: 'read' },
  query: fileQuery,
  async show({ path: { instanceId, fileId: objectName }, query: { download }, header }, services) {
    const share = await readShare(services, readCookies(header('cookie')).share);
    requireFileWithin(share, { instanceId, objectName });
    const { organizationId } = share;
    return redirect(await linkToFile(services, { organizationId, instanceId, objectName }, { download }));
  },
});

export const showSharedFile = page({
  operationId: 'showSharedFile',
  route: 'GET /shared/files/{instanceId}/{fileId}/view',
  lambda: 'shares',
  needs: 'public',
  access: { table: 'read', reads: READ_FOR_SHARES, artifacts: 'read' },
  async show({ visit, path: { instanceId, fileId: objectName }, header }, services) {
    const share = await readShare(services, readCookies(header('cookie')).share);
    requireFileWithin(share, { instanceId, objectName });
    const open = await openFile(services, { organizationId: share.organizationId, instanceId, objectName });
    const { testId, attempt } = open.file;
    const back = linkToSharedResult(visit, { instance_id: instanceId, test_id: testId, attempt });
    return {
      title: open.file.name,
      hasSecret: true,
      isShared: true,
      body: <FilePage links={makeSharedFileLinks(visit)} open={open} back={back} />,
    };
  },
});
