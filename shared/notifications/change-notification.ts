/** Disables, enables, tests and deletes a notification. */
import type { AuditName } from '#shared/access/actions.ts';
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { instantKey } from '#shared/engine/table/keys.ts';
import { ABSENT, check, put, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { type Notification, type NotificationKind, notifications } from '#shared/model/events/notification.ts';
import { type NotificationDelivery, notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { outbox, outboxRow } from '#shared/model/events/outbox.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { CoreServices } from '#shared/services.ts';
import { notificationDisabled } from './errors.ts';
import { notificationExpiry } from './fan-out-notifications.ts';
import { type NotificationRequest, notificationStateOf } from './save-notification.ts';

interface KindRequest extends NotificationRequest {
  readonly kind: NotificationKind;
}

type Removing = CoreServices & { readonly secrets: Pick<Secrets, 'remove'> };

/**
 * Removes the notification before its credential. If the call is interrupted in between, the credential is left behind,
 * but nobody can use it.
 */
export async function deleteNotification(services: Removing, request: KindRequest): Promise<void> {
  const { secretName } = await changeNotification(services, request, (notification) => ({
    writes: [removeWhen(notifications, notification, unchanged(notification))],
    action: 'notification deleted',
  }));
  await services.secrets.remove(secretName);
}

/** Enables a notification. This resets the failure counter and closes the circuit breaker. */
export function enableNotification(services: CoreServices, request: KindRequest): Promise<Notification> {
  return changeNotification(services, request, (notification) => ({
    writes: notification.disabled
      ? [update(notifications, notification, enabling(services.now()), unchanged(notification))]
      : [],
    action: 'notification enabled',
  }));
}

const enabling = (at: number) =>
  ({
    set: [
      ['failures', 0],
      ['updatedAt', at],
    ],
    remove: ['disabled', 'failingSince', 'pausedUntil'],
  }) as const;

export function disableNotification(services: CoreServices, request: KindRequest): Promise<Notification> {
  return changeNotification(services, request, (notification) => {
    const at = services.now();
    const set = [['disabled', { at, reason: 'byHand' }] as const, ['updatedAt', at] as const];
    return {
      writes: notification.disabled ? [] : [update(notifications, notification, { set }, unchanged(notification))],
      action: 'notification disabled',
    };
  });
}

/** Queues a test notification, which is delivered in the same way as a notification about a run. */
export function testNotification(services: CoreServices, request: KindRequest): Promise<Notification> {
  return changeNotification(services, request, (notification) => {
    if (notification.disabled) throw notificationDisabled();
    return {
      writes: [check(notifications, notification, unchanged(notification)), ...testWrites(services, notification)],
      action: 'notification tested',
    };
  });
}

const ID_CHARACTERS = 24;

function testWrites({ now, randomId }: CoreServices, { organizationId, projectId, hookId }: Notification): Write[] {
  const at = now();
  const id = randomId(ID_CHARACTERS);
  const delivery: NotificationDelivery = {
    organizationId,
    projectId,
    hookId,
    deliveryId: `msg_${instantKey(at)}${id}`,
    event: 'Test',
    test: true,
    runId: null,
    groupId: null,
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt: at,
    expiresAt: notificationExpiry(at),
  };
  const job = { organizationId, hookId, deliveryId: delivery.deliveryId, attempt: 0 };
  const content = { kind: 'notification', job } as const;
  return [put(notificationDeliveries, delivery, ABSENT), put(outbox, outboxRow(hookId, { at, outboxId: id, content }))];
}

interface Change {
  readonly writes: readonly Write[];
  readonly action: Extract<AuditName<'projects:write'>, `notification ${string}`>;
}

const unchanged = ({ updatedAt }: Notification) => ({ path: 'updatedAt', equals: updatedAt }) as const;

function changeNotification(
  services: CoreServices,
  request: KindRequest,
  plan: (notification: Notification) => Change,
): Promise<Notification> {
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const { project, existing } = await notificationStateOf(services, request, request.kind);
    const notification = existing ?? refuse(notFound('Notification'));
    const { writes, action } = plan(notification);
    if (writes.length === 0) return { result: notification };
    const { name: label, projectId: subject } = project;
    return { result: notification, writes, record: { action, subject, label, detail: notification.kind } };
  });
}
