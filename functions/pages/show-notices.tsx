import { listNotices } from '#shared/notices/find-notices.ts';
import { NoticesPage, noticeBreadcrumbs } from '#shared/pages/notices-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showNotices',
  route: 'GET /{organizationId}/{projectId}/notices',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const listed = await listNotices(services, { organizationId, projectId, actor });
    return {
      title: 'Notices',
      tab: 'Settings',
      breadcrumbs: noticeBreadcrumbs(visit),
      body: <NoticesPage {...{ visit, listed, refused }} />,
    };
  },
});
