/** The notifications of a project in a settings file, without their tokens and channel addresses. */

import {
  getNotificationPlace,
  getPlaceKind,
  isOfHost,
  NOTIFICATION_PLACES,
  type Notification,
  type NotificationPlace,
  notifications,
} from '#shared/model/events/notification.ts';
import {
  deleteNotification,
  disableNotification,
  enableNotification,
} from '#shared/notifications/change-notification.ts';
import { getPlaceName } from '#shared/notifications/channels.ts';
import { checkNotificationSettings } from '#shared/notifications/check-settings.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { NotificationSettings } from '#shared/notifications/settings-wire.ts';
import type { Services } from '#shared/services.ts';
import {
  enterSection,
  type FileSection,
  type GivenNotification,
  type GivenProject,
  parseSectionSettings,
} from './document.ts';
import { expectUnchanged } from './expect-unchanged.ts';
import { type Fields, getEnabledSetting, isEmpty, type Json, listFieldChanges, pickDifferences } from './fields.ts';
import type { Change, Manual, Step, Subject, Target, Tools } from './plan.ts';

type Policy = Pick<Services, 'privateReceivers'>;

export function toNotificationFields(notification: Notification): Fields {
  const isOn = getEnabledSetting(notification);
  const settings = toNotificationSettings(notification);
  return isOn === undefined ? settings : { ...settings, enabled: isOn };
}

function toNotificationSettings(notification: Notification | NotificationSettings): Fields {
  if (!isOfHost(notification)) {
    const { runs, branches = [] } = notification;
    return { runs, branches: [...branches] };
  }
  const { apiUrl, repository, context, sendsStatus, comments } = notification;
  if (context === undefined) return { apiUrl, repository, sendsStatus, comments };
  return { apiUrl, repository, context, sendsStatus, comments };
}

export function planNotifications(
  all: readonly Notification[],
  section: FileSection<NonNullable<GivenProject['notifications']>>,
  policy: Policy,
): Step[] {
  return NOTIFICATION_PLACES.flatMap((place): Step[] => {
    const notification = all.find((one) => getNotificationPlace(one) === place);
    const givenSettings = section.given[place];
    if (givenSettings === undefined) return notification ? [planNotificationRemoval(notification)] : [];
    const entry = enterSection(section, givenSettings, place);
    return notification
      ? planNotificationChange(notification, entry, policy)
      : [planManualStep(place, entry, {}, formatCreationAdvice(place))];
  });
}

const formatCreationAdvice = (place: NotificationPlace): string =>
  `Create it at "Settings, Notifications" of the project, or with "npm run admin -- notifications ${getPlaceKind(place)}": it needs a secret`;
const MOVE_ADVICE =
  'Enter the new repository or address together with its token at "Settings, Notifications" of the project';

const getSubject = (place: NotificationPlace) =>
  ({ kind: 'notification', name: getPlaceName(place), id: place }) as const satisfies Subject;

const planManualStep = (
  place: NotificationPlace,
  { given }: FileSection<GivenNotification>,
  currentFields: Fields,
  todo: string,
): Manual => ({
  ...getSubject(place),
  fields: listFieldChanges(pickDifferences(given, currentFields), currentFields),
  todo,
});

const planNotificationRemoval = (notification: Notification): Change => ({
  verb: 'remove',
  ...getSubject(getNotificationPlace(notification)),
  fields: [],
  note: 'its stored secret is deleted',
  run: async (services, target) => {
    const request = { ...expectNotification(notification, target), place: getNotificationPlace(notification) };
    await deleteNotification({ ...services, secrets: await services.secrets() }, request);
  },
});

function planNotificationChange(
  notification: Notification,
  section: FileSection<GivenNotification>,
  policy: Policy,
): Step[] {
  const { enabled, ...input } = section.given;
  const place = getNotificationPlace(notification);
  const currentFields = toNotificationFields(notification);
  const edits = pickDifferences(input, currentFields);
  const settings = isEmpty(edits) ? undefined : parseEdits(notification, edits, section, policy);
  // The problems of the file say what is wrong with them, and a plan with problems is not carried out.
  if (!isEmpty(edits) && settings === undefined) return [];
  // What a file says about `enabled` does not concern a notification that was disabled because it failed.
  const currentlyEnabled = getEnabledSetting(notification);
  const enabledSetting = currentlyEnabled === undefined ? undefined : enabled;
  const newFields = { ...(settings ? toNotificationSettings(settings) : {}), enabled: enabledSetting };
  const changedFields = pickDifferences(newFields, currentFields);
  if (isEmpty(changedFields)) return [];
  if ('apiUrl' in changedFields || 'repository' in changedFields)
    return [planManualStep(place, section, currentFields, MOVE_ADVICE)];
  const staysOff = (enabledSetting ?? currentlyEnabled) === false;
  return [
    {
      verb: 'change',
      ...getSubject(place),
      fields: listFieldChanges(changedFields, currentFields),
      run: (services, target) => saveChange(services, target, { notification, settings, staysOff }),
    },
  ];
}

interface NotificationChange {
  readonly notification: Notification;
  /** Absent if the notification is only turned on or off. */
  readonly settings: NotificationSettings | undefined;
  readonly staysOff: boolean;
}

async function saveChange(
  services: Tools,
  target: Target,
  { notification, settings, staysOff }: NotificationChange,
): Promise<unknown> {
  const expectedTarget = expectNotification(notification, target);
  if (settings) {
    const request = { ...expectedTarget, settings, staysOff };
    return saveNotification({ ...services, secrets: await services.secrets() }, request);
  }
  const request = { ...expectedTarget, place: getNotificationPlace(notification) };
  return staysOff ? disableNotification(services, request) : enableNotification(services, request);
}

/** Makes a change fail if the notification has changed since it was planned. */
const expectNotification = (notification: Notification, target: Target) => ({
  ...target,
  expects: expectUnchanged(notifications, notification, ['updatedAt']),
});

/** The settings with what the file changes. `undefined` if they are invalid, which the problems of the file say. */
function parseEdits(
  notification: Notification,
  edits: Readonly<Record<string, Json | undefined>>,
  section: FileSection<GivenNotification>,
  policy: Policy,
): NotificationSettings | undefined {
  const place = isOfHost(notification) ? {} : { place: getNotificationPlace(notification) };
  const fields = { ...toNotificationSettings(notification), ...edits, kind: notification.kind, ...place };
  const settings = parseSectionSettings(NotificationSettings, fields, section);
  return settings && section.problems.check(section.path, () => checkNotificationSettings(settings, policy));
}
