/** The notifications of a project in a settings file, without their tokens and channel addresses. */
import {
  isOfHost,
  NOTIFICATION_KINDS,
  type Notification,
  type NotificationKind,
  notifications,
} from '#shared/model/events/notification.ts';
import {
  deleteNotification,
  disableNotification,
  enableNotification,
} from '#shared/notifications/change-notification.ts';
import { getKindName } from '#shared/notifications/channels.ts';
import { checkNotificationSettings, saveNotification } from '#shared/notifications/save-notification.ts';
import { NotificationSettings } from '#shared/notifications/settings-wire.ts';
import type { Services } from '#shared/services.ts';
import { type GivenNotification, type GivenProject, type Placed, settingsBy, within } from './document.ts';
import {
  type Change,
  differing,
  type Fields,
  fieldChanges,
  isEmpty,
  isEnabled,
  type Json,
  type Manual,
  type Step,
  unchanged,
} from './plan.ts';

type Policy = Pick<Services, 'privateReceivers'>;

export function notificationFields(notification: Notification): Fields {
  const enabled = isEnabled(notification);
  return { ...settingsOf(notification), ...(enabled === undefined ? {} : { enabled }) };
}

function settingsOf(of: Notification | NotificationSettings): Fields {
  if (!isOfHost(of)) return { runs: of.runs };
  const { apiUrl, repository, context, sendsStatus, comments } = of;
  return { apiUrl, repository, ...(context === undefined ? {} : { context }), sendsStatus, comments };
}

export function planNotifications(
  all: readonly Notification[],
  placed: Placed<NonNullable<GivenProject['notifications']>>,
  policy: Policy,
): Step[] {
  return NOTIFICATION_KINDS.flatMap((kind): Step[] => {
    const notification = all.find((one) => one.kind === kind);
    const given = placed.given[kind];
    if (given === undefined) return notification ? [removalOf(notification)] : [];
    const entry = within(placed, given, kind);
    return notification ? changeOf(notification, entry, policy) : [manual(kind, entry, {}, CREATE(kind))];
  });
}

const CREATE = (kind: NotificationKind): string =>
  `Create it at "Settings, Notifications" of the project, or with "npm run admin -- notifications ${kind}": it needs a secret`;
const MOVE = 'Enter the new repository or address together with its token at "Settings, Notifications" of the project';

const manual = (
  kind: NotificationKind,
  { given }: Placed<GivenNotification>,
  current: Fields,
  todo: string,
): Manual => ({
  kind: 'notification',
  name: getKindName(kind),
  id: kind,
  fields: fieldChanges(differing(given, current), current),
  todo,
});

const removalOf = (notification: Notification): Change => ({
  verb: 'remove',
  kind: 'notification',
  name: getKindName(notification.kind),
  id: notification.kind,
  fields: [],
  note: 'its stored secret is deleted',
  run: async (services, target) => {
    const expects = unchanged(notifications, notification, ['updatedAt']);
    const request = { ...target, expects, kind: notification.kind };
    await deleteNotification({ ...services, secrets: await services.secrets() }, request);
  },
});

function changeOf(notification: Notification, placed: Placed<GivenNotification>, policy: Policy): Step[] {
  const { enabled, ...given } = placed.given;
  const { kind } = notification;
  const current = notificationFields(notification);
  const edits: Readonly<Record<string, Json | undefined>> = differing(given, current);
  const edited = isEmpty(edits)
    ? undefined
    : settingsBy(NotificationSettings, { ...settingsOf(notification), ...edits, kind }, placed);
  const settings = edited && placed.problems.checked(placed.path, () => checkNotificationSettings(edited, policy));
  const switched = isEnabled(notification) === undefined ? undefined : enabled;
  const wanted = differing({ ...(settings ? settingsOf(settings) : {}), enabled: switched }, current);
  if (isEmpty(wanted)) return [];
  if ('apiUrl' in wanted || 'repository' in wanted) return [manual(kind, placed, current, MOVE)];
  return [
    {
      verb: 'change',
      kind: 'notification',
      name: getKindName(kind),
      id: kind,
      fields: fieldChanges(wanted, current),
      run: async (services, target) => {
        const seen = { ...target, expects: unchanged(notifications, notification, ['updatedAt']) };
        const staysOff = (switched ?? isEnabled(notification)) === false;
        if (settings === undefined)
          return (staysOff ? disableNotification : enableNotification)(services, { ...seen, kind });
        const saved = await saveNotification({ ...services, secrets: await services.secrets() }, { ...seen, settings });
        // Saving enables a notification, so a notification that stays off is disabled again.
        const expects = unchanged(notifications, saved, ['updatedAt']);
        return staysOff ? disableNotification(services, { ...target, expects, kind }) : saved;
      },
    },
  ];
}
