import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { makeNotificationBreadcrumbs, NotificationsPage } from '#shared/pages/settings/notifications-page.tsx';
import { page } from '#shared/platform/page.ts';
import { isFreshForForm } from '#shared/sign-in/sessions.ts';

export const handler = page({
  operationId: 'showNotifications',
  route: 'GET /{organizationId}/{projectId}/notifications',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, here, refused }, services) {
    const notifications = await listNotifications(services, caller);
    return {
      title: 'Notifications',
      tab: 'Settings',
      breadcrumbs: makeNotificationBreadcrumbs(visit),
      body: (
        <NotificationsPage
          {...{ visit, listed: notifications, refused }}
          here={here}
          isFresh={isFreshForForm(visit.session, services.now())}
        />
      ),
    };
  },
});
