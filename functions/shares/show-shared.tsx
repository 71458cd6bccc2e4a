import { OpenSharePage } from '#shared/pages/shares/open-share-page.tsx';
import { page } from '#shared/platform/page.ts';

/** §5.3 Names nothing that is shared, because link scanners open it too. */
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
