import { OpenSharePage } from '#shared/pages/shares/open-share-page.tsx';
import { page } from '#shared/platform/page.ts';

/** §5.3 This page shows nothing about the shared result, because link scanners open the page too. */
export const handler = page({
  operationId: 'showShared',
  route: 'GET /shared',
  needs: 'public',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: 'A shared test result',
    hasSecret: true,
    body: <OpenSharePage visit={visit} refused={refused} />,
  }),
});
