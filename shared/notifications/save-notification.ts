/** Creates or changes a notification. The table has only the name of its credential, Parameter Store the value. */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { findProject, requireInUse } from '#shared/find-project.ts';
import { formatSecretName, hasCredential, removeCredential } from '#shared/model/credential.ts';
import {
  deriveNotificationId,
  type HostNotification,
  isOfHost,
  type Notification,
  type NotificationPlace,
  notifications,
} from '#shared/model/events/notification.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { ProjectRequest } from '#shared/organizations/project-settings.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { CHANNELS } from './channels.ts';
import { checkNotificationSettings, refuseNewPlace } from './check-settings.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { getPlaceOfSettings, type NotificationSettings } from './settings-wire.ts';

export type NotificationServices = CoreServices &
  Pick<Services, 'privateReceivers'> & { readonly secrets: Pick<Secrets, 'put' | 'remove'> };

interface SavedNotification extends ProjectRequest {
  readonly settings: NotificationSettings;
  /** Whether the notification sends nothing but tests until a person enables it. */
  readonly staysOff?: boolean;
}

/** A new credential is stored under a new name. The old one stays in use until the transaction succeeds. */
export async function saveNotification(
  services: NotificationServices,
  { settings, staysOff = false, ...request }: SavedNotification,
): Promise<Notification> {
  const checkedSettings = checkNotificationSettings(settings, services);
  const { credential } = checkedSettings;
  const { organizationId } = request;
  let newSecretName: string | undefined;
  try {
    const { notification, former } = await changeOrganization(
      services,
      { ...request, action: 'projects:write' },
      async () => {
        const place = getPlaceOfSettings(checkedSettings);
        const { project, existing } = await readNotificationState(services, request, place);
        requireInUse(project);
        refuseNewPlace(checkedSettings, existing);
        // The transaction may be prepared several times, but the credential is stored only once.
        if (credential !== undefined) newSecretName ??= await storeCredential(services, request, credential);
        const secretName = newSecretName ?? (existing && hasCredential(existing) ? existing.secretName : undefined);
        if (secretName === undefined)
          throw invalidRequest(`The notification has no credential yet. ${describeCredential(checkedSettings)}`, [
            'credential',
          ]);
        const newNotification = buildNotification(services, checkedSettings, { project, existing }, secretName);
        const disabling = { at: newNotification.updatedAt, reason: 'byHand' };
        const notification = staysOff ? { ...newNotification, disabled: disabling } : newNotification;
        const when = existing ? expectSameValues(existing, 'updatedAt') : ABSENT;
        return {
          result: { notification, former: existing },
          writes: [put(notifications, notification, when)],
          inProject: project,
          record: {
            action: existing ? 'notification changed' : 'notification created',
            subject: project.projectId,
            label: project.name,
            detail: `${place}${credential === undefined ? '' : ', with a new credential'}`,
          },
        };
      },
    );
    if (former && former.secretName !== notification.secretName) await removeCredential(services.secrets, former);
    return notification;
  } catch (error) {
    // After any other error, the transaction may have succeeded, so the credential may be in use.
    if (error instanceof ApiError && newSecretName !== undefined)
      await removeCredential(services.secrets, { organizationId, secretName: newSecretName });
    throw error;
  }
}

const describeCredential = (settings: NotificationSettings): string =>
  isOfHost(settings) ? `Enter a ${CODE_HOSTS[settings.kind].name} token` : CHANNELS[settings.kind].advice;

async function storeCredential(
  services: NotificationServices,
  { organizationId, projectId }: ProjectRequest,
  credential: string,
): Promise<string> {
  const id = services.randomId(NOTIFICATION_LIMITS.secretNameCharacters);
  const secret = { organizationId, secretId: `${projectId}/${id}` };
  await services.secrets.put(secret, credential);
  return formatSecretName(secret);
}

interface NotificationState {
  readonly project: ProjectRecord;
  readonly existing: Notification | undefined;
}

export async function readNotificationState(
  { table }: WithTable,
  { organizationId, projectId }: ProjectRequest,
  place: NotificationPlace,
): Promise<NotificationState> {
  const key = { organizationId, projectId };
  const project = await findProject({ table }, key, { consistent: true });
  const notificationKey = { organizationId, hookId: deriveNotificationId(projectId, place) };
  return { project, existing: await table.get(notifications, notificationKey, { consistent: true }) };
}

/** Enables it and resets its failures, because the new settings may have fixed the cause of earlier ones. */
function buildNotification(
  { now, randomId }: NotificationServices,
  settings: NotificationSettings,
  { project, existing }: NotificationState,
  secretName: string,
): Notification {
  const { organizationId, projectId } = project;
  const base = {
    organizationId,
    projectId,
    hookId: deriveNotificationId(projectId, getPlaceOfSettings(settings)),
    secretName,
    createdAt: existing?.createdAt ?? now(),
    // Two changes within the same millisecond must get different times.
    updatedAt: Math.max(now(), (existing?.updatedAt ?? 0) + 1),
    failures: 0,
  };
  if (!isOfHost(settings)) {
    const { kind, runs, branches = [] } = settings;
    return { ...base, kind, runs, branches: branches.length > 0 ? branches : undefined };
  }
  const { kind, apiUrl, repository, sendsStatus, comments, context } = settings;
  const storedHost: Partial<HostNotification> = existing && isOfHost(existing) ? existing : {};
  return {
    ...base,
    kind,
    apiUrl,
    repository,
    sendsStatus,
    comments,
    // By default, the status contains the project name, because several projects may report the status of one commit.
    context: context ?? storedHost.context ?? `rundown/${project.name}`.slice(0, NOTIFICATION_LIMITS.contextCharacters),
    markerKey: storedHost.markerKey ?? randomId(NOTIFICATION_LIMITS.markerKeyCharacters),
  };
}
