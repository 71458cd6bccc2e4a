import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { NotificationsPage, notificationBreadcrumbs } from '#shared/pages/settings/notifications-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showNotifications',
  route: 'GET /{organizationId}/{projectId}/notifications',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const listed = await listNotifications(services, { organizationId, projectId, actor });
    return {
      title: 'Notifications',
      tab: 'Settings',
      breadcrumbs: notificationBreadcrumbs(visit),
      body: <NotificationsPage {...{ visit, listed, refused }} />,
    };
  },
});
