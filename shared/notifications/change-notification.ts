/** Disables, enables, tests and deletes a notification. */
import type { AuditName } from '#shared/access/actions.ts';
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type Condition, expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { ABSENT, check, put, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { removeCredential } from '#shared/model/credential.ts';
import { type Notification, type NotificationPlace, notifications } from '#shared/model/events/notification.ts';
import { type NotificationDelivery, notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { ProjectRequest } from '#shared/organizations/project-settings.ts';
import { makeTestDelivery, planDeliveryJob } from '#shared/sending/queue-deliveries.ts';
import type { CoreServices } from '#shared/services.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { readNotificationState } from './save-notification.ts';

interface PlaceRequest extends ProjectRequest {
  readonly place: NotificationPlace;
}

type RemovalServices = CoreServices & { readonly secrets: Pick<Secrets, 'remove'> };

/** If the call is interrupted, the credential is left behind, but nobody can use it. */
export async function deleteNotification(services: RemovalServices, request: PlaceRequest): Promise<void> {
  const deletedNotification = await changeNotification(services, request, (notification) => ({
    writes: [removeWhen(notifications, notification, whileUnchanged(notification))],
    action: 'notification deleted',
  }));
  await removeCredential(services.secrets, deletedNotification);
}

/** Also resets the failure counter and closes the circuit breaker. */
export function enableNotification(services: CoreServices, request: PlaceRequest): Promise<Notification> {
  return changeNotification(services, request, (notification) => {
    const set = toAssignments({ failures: 0, updatedAt: services.now() });
    const changes = { set, remove: ['disabled', 'failingSince', 'pausedUntil'] };
    return {
      writes: notification.disabled ? [update(notifications, notification, changes, whileUnchanged(notification))] : [],
      action: 'notification enabled',
      needsProject: true,
    };
  });
}

export function disableNotification(services: CoreServices, request: PlaceRequest): Promise<Notification> {
  return changeNotification(services, request, (notification) => {
    const at = services.now();
    const set = toAssignments({ disabled: { at, reason: 'byHand' }, updatedAt: at });
    return {
      writes: notification.disabled ? [] : [update(notifications, notification, { set }, whileUnchanged(notification))],
      action: 'notification disabled',
    };
  });
}

/** Queues a test notification, which is delivered in the same way as a notification about a run, even if it is off. */
export function sendTestNotification(services: CoreServices, request: PlaceRequest): Promise<Notification> {
  return changeNotification(services, request, (notification) => ({
    writes: [
      check(notifications, notification, whileUnchanged(notification)),
      ...planTestWrites(services, notification),
    ],
    action: 'notification tested',
    needsProject: true,
  }));
}

function planTestWrites(services: CoreServices, notification: Notification): Write[] {
  const delivery: NotificationDelivery = {
    ...makeTestDelivery(services, notification, NOTIFICATION_LIMITS.deliveryDays),
    event: 'Test',
  };
  return [put(notificationDeliveries, delivery, ABSENT), planDeliveryJob(services, 'notification', delivery)];
}

interface NotificationChange {
  readonly writes: readonly Write[];
  /** Whether the change is refused in a deleted project. */
  readonly needsProject?: true;
  readonly action: Extract<AuditName<'projects:write'>, `notification ${string}`>;
}

const whileUnchanged = (notification: Notification): Condition => expectSameValues(notification, 'updatedAt');

function changeNotification(
  services: CoreServices,
  request: PlaceRequest,
  plan: (notification: Notification) => NotificationChange,
): Promise<Notification> {
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const { project, existing } = await readNotificationState(services, request, request.place);
    const notification = existing ?? refuse(notFound('Notification'));
    const { writes, action, needsProject } = plan(notification);
    if (writes.length === 0) return { result: notification };
    const { name: label, projectId: subject } = project;
    return {
      result: notification,
      writes,
      inProject: needsProject ? project : undefined,
      record: { action, subject, label, detail: request.place },
    };
  });
}
