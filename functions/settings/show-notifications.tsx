import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { NotificationsPage, notificationBreadcrumbs } from '#shared/pages/settings/notifications-page.tsx';
import { page } from '#shared/platform/page.ts';

/** Requires a recent sign-in, because messages are sent to the address that is entered for a channel. */
export const handler = page({
  operationId: 'showNotifications',
  route: 'GET /{organizationId}/{projectId}/notifications',
  needs: 'projects:write',
  fresh: true,
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const listed = await listNotifications(services, caller);
    return {
      title: 'Notifications',
      tab: 'Settings',
      breadcrumbs: notificationBreadcrumbs(visit),
      body: <NotificationsPage {...{ visit, listed, refused }} />,
    };
  },
});
