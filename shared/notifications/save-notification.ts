/**
 * Creates or changes a notification. Its credential is stored in Parameter Store. The table contains only the name of
 * the credential.
 */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { findProject, requireInUse } from '#shared/find-project.ts';
import { formatSecretName, hasCredential, removeCredential } from '#shared/model/credential.ts';
import {
  deriveNotificationId,
  type HostKind,
  type HostNotification,
  isOfHost,
  type Notification,
  notifications,
} from '#shared/model/events/notification.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { ProjectRequest } from '#shared/organizations/project-settings.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { CHANNELS } from './channels.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import type { NotificationSettings } from './settings-wire.ts';

export type Keeping = CoreServices &
  Pick<Services, 'privateReceivers'> & { readonly secrets: Pick<Secrets, 'put' | 'remove'> };

/**
 * A new credential is first stored under a new name. Until the transaction succeeds, the old credential stays in use.
 */
export async function saveNotification(
  services: Keeping,
  { settings, ...request }: ProjectRequest & { readonly settings: NotificationSettings },
): Promise<Notification> {
  const given = checkedSettings(settings, services);
  const { credential } = given;
  const { organizationId } = request;
  let added: string | undefined;
  try {
    const { notification, former } = await changeOrganization(
      services,
      { ...request, action: 'projects:write' },
      async () => {
        const { project, existing } = await notificationStateOf(services, request, given.kind);
        requireInUse(project);
        refuseNewPlace(given, existing);
        // The transaction may be prepared several times, but the credential is stored only once.
        if (credential !== undefined) added ??= await storeCredential(services, request, credential);
        const secretName = added ?? (existing && hasCredential(existing) ? existing.secretName : undefined);
        if (secretName === undefined)
          throw invalidRequest(`The notification has no credential yet. ${credentialOf(given)}`);
        const notification = notificationOf(services, given, { project, existing }, secretName);
        const when = existing ? expectSameValues(existing, 'updatedAt') : ABSENT;
        return {
          result: { notification, former: existing },
          writes: [put(notifications, notification, when)],
          inProject: project,
          record: {
            action: existing ? 'notification changed' : 'notification created',
            subject: project.projectId,
            label: project.name,
            detail: `${given.kind}${credential === undefined ? '' : ', with a new credential'}`,
          },
        };
      },
    );
    if (former && former.secretName !== notification.secretName) await removeCredential(services.secrets, former);
    return notification;
  } catch (error) {
    // After any other error, the transaction may have succeeded, so the credential may be in use.
    if (error instanceof ApiError && added !== undefined)
      await removeCredential(services.secrets, { organizationId, secretName: added });
    throw error;
  }
}

/**
 * Refuses to use a stored credential for an API address or repository other than the one for which it was entered.
 * Otherwise, another Admin could send the token to a server of their own and read it there, or write to another
 * repository with it.
 */
function refuseNewPlace(given: NotificationSettings, existing: Notification | undefined): void {
  // For a channel, the credential itself is the address.
  if (!existing || given.credential !== undefined || !isOfHost(given) || !isOfHost(existing)) return;
  const names = { apiUrl: 'API address', repository: CODE_HOSTS[given.kind].place };
  const moved = [
    ...(given.apiUrl === existing.apiUrl ? [] : (['apiUrl'] as const)),
    ...(given.repository.toLowerCase() === existing.repository.toLowerCase() ? [] : (['repository'] as const)),
  ];
  if (moved.length > 0)
    throw invalidRequest(
      `The stored token is used only with the ${moved.map((name) => names[name]).join(' and ')} for which it was saved. Enter the token again`,
      moved,
    );
}

const credentialOf = (given: NotificationSettings): string =>
  isOfHost(given) ? `Enter a ${CODE_HOSTS[given.kind].name} token` : CHANNELS[given.kind].advice;

async function storeCredential(
  services: Keeping,
  { organizationId, projectId }: ProjectRequest,
  credential: string,
): Promise<string> {
  const id = services.randomId(NOTIFICATION_LIMITS.secretNameCharacters);
  const secret = { organizationId, secretId: `${projectId}/${id}` };
  await services.secrets.put(secret, credential);
  return formatSecretName(secret);
}

interface Stored {
  readonly project: ProjectRecord;
  readonly existing: Notification | undefined;
}

export async function notificationStateOf(
  { table }: WithTable,
  { organizationId, projectId }: ProjectRequest,
  kind: Notification['kind'],
): Promise<Stored> {
  const key = { organizationId, projectId };
  const project = await findProject({ table }, key, { consistent: true });
  const wanted = { organizationId, hookId: deriveNotificationId(projectId, kind) };
  return { project, existing: await table.get(notifications, wanted, { consistent: true }) };
}

/**
 * Saving a notification enables it and resets its failure counter, because the new settings may have fixed the cause of
 * earlier failures.
 */
function notificationOf(
  { now, randomId }: Keeping,
  given: NotificationSettings,
  { project, existing }: Stored,
  secretName: string,
): Notification {
  const { organizationId, projectId } = project;
  const common = {
    organizationId,
    projectId,
    hookId: deriveNotificationId(projectId, given.kind),
    secretName,
    createdAt: existing?.createdAt ?? now(),
    // Two changes within the same millisecond must get different times.
    updatedAt: Math.max(now(), (existing?.updatedAt ?? 0) + 1),
    failures: 0,
  };
  if (!isOfHost(given)) return { ...common, kind: given.kind, runs: given.runs };
  const { kind, apiUrl, repository, sendsStatus, comments, context } = given;
  const former: Partial<HostNotification> = existing && isOfHost(existing) ? existing : {};
  return {
    ...common,
    kind,
    apiUrl,
    repository,
    sendsStatus,
    comments,
    // By default, the status contains the project name, because several projects may report the status of one commit.
    context: context ?? former.context ?? `rundown/${project.name}`.slice(0, NOTIFICATION_LIMITS.contextCharacters),
    markerKey: former.markerKey ?? randomId(NOTIFICATION_LIMITS.markerKeyCharacters),
  };
}

// Refuses settings with which no notification could be delivered.

type Policy = Pick<Services, 'privateReceivers'>;
type OfHost = Extract<NotificationSettings, { readonly kind: HostKind }>;

/** Returns the settings in their stored form. Throws 400 if no notification could be delivered with them. */
export function checkedSettings(given: NotificationSettings, policy: Policy): NotificationSettings {
  if (!isOfHost(given)) {
    // The error message does not contain the address of the channel, because the address is a secret.
    if (given.credential !== undefined && problemOfUrl(given.credential, policy) !== undefined)
      throw invalidRequest(`The webhook address is invalid. ${CHANNELS[given.kind].advice}`);
    return given;
  }
  refuseImpossible(given, policy);
  return { ...given, apiUrl: trimFinalSlashes(given.apiUrl) };
}

/** The format of a token: visible ASCII characters, because it is sent in a header. */
const TOKEN = /^[\u0021-\u007e]+$/;

function refuseImpossible(given: OfHost, policy: Policy): void {
  const { apiUrl, repository, sendsStatus, comments, credential } = given;
  const { isPlace, place, placeAdvice, apiUrl: example } = CODE_HOSTS[given.kind];
  if (!isPlace(repository)) throw invalidRequest(`The ${place} is invalid. Enter its ${placeAdvice}`, ['repository']);
  if (!sendsStatus && !comments)
    throw invalidRequest('The notification would never send anything. Choose commit statuses, comments or both');
  if (credential !== undefined && !TOKEN.test(credential))
    throw invalidRequest('The token is invalid. Enter it without spaces, line breaks or non-ASCII characters');
  if (apiUrl.includes('?'))
    throw invalidRequest(`The API address contains a query string. Enter it without one, such as ${example}`, [
      'apiUrl',
    ]);
  const problem = problemOfUrl(apiUrl, policy);
  if (problem !== undefined) throw invalidRequest(`API address: ${problem}`, ['apiUrl']);
}
