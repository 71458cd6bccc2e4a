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
import type { Change, Manual, Step } from './plan.ts';

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

const planManualStep = (
  place: NotificationPlace,
  { given }: FileSection<GivenNotification>,
  currentFields: Fields,
  todo: string,
): Manual => ({
  kind: 'notification',
  name: getPlaceName(place),
  id: place,
  fields: listFieldChanges(pickDifferences(given, currentFields), currentFields),
  todo,
});

const planNotificationRemoval = (notification: Notification): Change => ({
  verb: 'remove',
  kind: 'notification',
  name: getPlaceName(getNotificationPlace(notification)),
  id: getNotificationPlace(notification),
  fields: [],
  note: 'its stored secret is deleted',
  run: async (services, target) => {
    const expects = expectUnchanged(notifications, notification, ['updatedAt']);
    const request = { ...target, expects, place: getNotificationPlace(notification) };
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
  const settings = parseChangedSettings(notification, input, section, policy);
  // What a file says about `enabled` does not concern a notification that was disabled because it failed.
  const enabledSetting = getEnabledSetting(notification) === undefined ? undefined : enabled;
  const newFields = { ...(settings ? toNotificationSettings(settings) : {}), enabled: enabledSetting };
  const changedFields = pickDifferences(newFields, currentFields);
  if (isEmpty(changedFields)) return [];
  if ('apiUrl' in changedFields || 'repository' in changedFields)
    return [planManualStep(place, section, currentFields, MOVE_ADVICE)];
  return [
    {
      verb: 'change',
      kind: 'notification',
      name: getPlaceName(place),
      id: place,
      fields: listFieldChanges(changedFields, currentFields),
      run: async (services, target) => {
        const expectedTarget = { ...target, expects: expectUnchanged(notifications, notification, ['updatedAt']) };
        const staysOff = (enabledSetting ?? getEnabledSetting(notification)) === false;
        if (settings === undefined && staysOff) return disableNotification(services, { ...expectedTarget, place });
        if (settings === undefined) return enableNotification(services, { ...expectedTarget, place });
        return saveNotification(
          { ...services, secrets: await services.secrets() },
          { ...expectedTarget, settings, staysOff },
        );
      },
    },
  ];
}

/** The settings with what the file changes. `undefined` if it changes none but `enabled`, or something invalid. */
function parseChangedSettings(
  notification: Notification,
  input: Omit<GivenNotification, 'enabled'>,
  section: FileSection<GivenNotification>,
  policy: Policy,
): NotificationSettings | undefined {
  const edits: Readonly<Record<string, Json | undefined>> = pickDifferences(input, toNotificationFields(notification));
  if (isEmpty(edits)) return undefined;
  const place = isOfHost(notification) ? {} : { place: getNotificationPlace(notification) };
  const fields = { ...toNotificationSettings(notification), ...edits, kind: notification.kind, ...place };
  const settings = parseSectionSettings(NotificationSettings, fields, section);
  return settings && section.problems.check(section.path, () => checkNotificationSettings(settings, policy));
}
