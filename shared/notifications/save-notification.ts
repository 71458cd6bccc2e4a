/**
 * Creates or changes a notification. Its credential is stored in Parameter Store. The table contains only the name of
 * the credential.
 */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';
import { withoutEnd } from '#shared/engine/plain-text.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { findProject } from '#shared/find-project.ts';
import {
  type HostKind,
  type HostNotification,
  isOfHost,
  type Notification,
  notificationId,
  notifications,
} from '#shared/model/events/notification.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { OrganizationRequest } from '#shared/organizations/standing.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import type { CoreServices, Services, WithTable } from '#shared/services.ts';
import { CHANNELS } from './channels.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import type { NotificationSettings } from './settings-wire.ts';

export interface NotificationRequest extends OrganizationRequest {
  readonly projectId: string;
}

export type Keeping = CoreServices &
  Pick<Services, 'privateReceivers'> & { readonly secrets: Pick<Secrets, 'put' | 'remove'> };

/**
 * A new credential is first stored under a new name. Until the transaction succeeds, the old credential stays in use.
 */
export async function saveNotification(
  services: Keeping,
  { settings, ...request }: NotificationRequest & { readonly settings: NotificationSettings },
): Promise<Notification> {
  const given = checkedSettings(settings, services);
  const added = new AddedSecret(services, request);
  try {
    const { notification, former } = await changeOrganization(
      services,
      { ...request, action: 'projects:write' },
      async () => {
        const { project, existing } = await notificationStateOf(services, request, given.kind);
        refuseNewPlace(given, existing);
        const secretName = given.credential === undefined ? existing?.secretName : await added.name(given.credential);
        if (secretName === undefined)
          throw invalidRequest(`The notification has no credential yet. ${credentialOf(given)}`);
        const notification = notificationOf(services, { given, project, existing, secretName });
        const when = existing ? ({ path: 'updatedAt', equals: existing.updatedAt } as const) : ABSENT;
        return {
          result: { notification, former: existing?.secretName },
          writes: [put(notifications, notification, when)],
          record: {
            action: existing ? 'notification changed' : 'notification created',
            subject: project.projectId,
            label: project.name,
            detail: `${given.kind}${given.credential === undefined ? '' : ', with a new credential'}`,
          },
        };
      },
    );
    if (former !== undefined && former !== notification.secretName) await services.secrets.remove(former);
    return notification;
  } catch (error) {
    // After any other error, the transaction may have succeeded, so the credential may be in use.
    if (error instanceof ApiError) await added.remove();
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

/** Stores a credential at most once, even if the transaction is prepared several times. */
class AddedSecret {
  readonly #services: Keeping;
  readonly #request: NotificationRequest;
  #name: string | undefined;

  constructor(services: Keeping, request: NotificationRequest) {
    this.#services = services;
    this.#request = request;
  }

  async name(value: string): Promise<string> {
    if (this.#name !== undefined) return this.#name;
    const { organizationId, projectId } = this.#request;
    const name = `${organizationId}/${projectId}/${this.#services.randomId(NOTIFICATION_LIMITS.secretNameCharacters)}`;
    await this.#services.secrets.put(name, value);
    this.#name = name;
    return name;
  }

  async remove(): Promise<void> {
    if (this.#name !== undefined) await this.#services.secrets.remove(this.#name);
  }
}

export async function notificationStateOf(
  { table }: WithTable,
  { organizationId, projectId }: NotificationRequest,
  kind: Notification['kind'],
): Promise<{ readonly project: ProjectRecord; readonly existing: Notification | undefined }> {
  const key = { organizationId, projectId };
  const project = await findProject({ table }, key, { consistent: true });
  const wanted = { organizationId, hookId: notificationId(projectId, kind) };
  return { project, existing: await table.get(notifications, wanted, { consistent: true }) };
}

interface Planned {
  readonly given: NotificationSettings;
  readonly project: ProjectRecord;
  readonly existing: Notification | undefined;
  readonly secretName: string;
}

/**
 * Saving a notification enables it and resets its failure counter, because the new settings may have fixed the cause of
 * earlier failures.
 */
function notificationOf({ now, randomId }: Keeping, { given, project, existing, secretName }: Planned): Notification {
  const { organizationId, projectId } = project;
  const common = {
    organizationId,
    projectId,
    hookId: notificationId(projectId, given.kind),
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
    context: context ?? former.context ?? defaultContext(project),
    markerKey: former.markerKey ?? randomId(NOTIFICATION_LIMITS.markerKeyCharacters),
  };
}

/**
 * The default name of the commit status. It contains the project name, because several projects may report the status
 * of the same commit.
 */
const defaultContext = ({ name }: ProjectRecord): string =>
  `rundown/${name}`.slice(0, NOTIFICATION_LIMITS.contextCharacters);

// Refuses settings with which no notification could be delivered.

type Policy = Pick<Services, 'privateReceivers'>;
type OfHost = Extract<NotificationSettings, { readonly kind: HostKind }>;
type OfChannel = Exclude<NotificationSettings, OfHost>;

/** Returns the settings in their stored form. Throws 400 if no notification could be delivered with them. */
export function checkedSettings(given: NotificationSettings, policy: Policy): NotificationSettings {
  if (!isOfHost(given)) {
    const problem = problemOfChannel(given, policy);
    if (problem !== undefined) throw invalidRequest(problem);
    return given;
  }
  refuseImpossible(given, policy);
  return { ...given, apiUrl: withoutEnd(given.apiUrl, '/') };
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

/** Checks the address of a channel. The error message must not contain the address, because the address is a secret. */
function problemOfChannel({ kind, credential }: OfChannel, policy: Policy): string | undefined {
  if (credential === undefined) return undefined;
  const problem = problemOfUrl(credential, policy);
  return problem && `The webhook address is invalid. ${CHANNELS[kind].advice}`;
}
