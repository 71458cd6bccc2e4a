/** Checks the settings of a notification that somebody enters. */

import { isIP } from 'node:net';
import { invalidRequest } from '#shared/engine/errors.ts';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import { getPlaceKind, type HostKind, isOfHost, type Notification } from '#shared/model/events/notification.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { CHANNELS } from './channels.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { getPlaceOfSettings, type NotificationSettings } from './settings-wire.ts';

type ReceiverPolicy = Pick<Services, 'privateReceivers'>;
type HostSettings = Extract<NotificationSettings, { readonly kind: HostKind }>;

/** Throws 400 if no notification could be delivered with the settings. Returns them in their stored form. */
export function checkNotificationSettings(
  settings: NotificationSettings,
  policy: ReceiverPolicy,
): NotificationSettings {
  if (!isOfHost(settings)) {
    if (getPlaceKind(getPlaceOfSettings(settings)) !== settings.kind)
      throw invalidRequest('The place of the notification is one of another kind');
    // The error message does not contain the address of the channel, because the address is a secret.
    if (settings.credential !== undefined && findUrlProblem(settings.credential, policy) !== undefined)
      throw invalidRequest(`The webhook address is invalid. ${CHANNELS[settings.kind].advice}`, ['credential']);
    refuseOtherHost(settings, policy);
    return settings;
  }
  refuseImpossible(settings, policy);
  return { ...settings, apiUrl: trimFinalSlashes(settings.apiUrl) };
}

/** Only the service of a channel understands its messages. A stand-in on this machine may take its place. */
function refuseOtherHost(
  { kind, credential }: Extract<NotificationSettings, { readonly runs: unknown }>,
  { privateReceivers }: ReceiverPolicy,
): void {
  const { hosts, name, advice } = CHANNELS[kind];
  if (credential === undefined || hosts === undefined) return;
  const { hostname } = new URL(credential);
  if (privateReceivers !== 'none' && (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0 || hostname === 'localhost'))
    return;
  if (!hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`)))
    throw invalidRequest(
      `This is no address of ${name}. ${advice}. For Mattermost, Rocket.Chat, Google Chat or your own service, connect another chat instead`,
      ['credential'],
    );
}

/** The format of a token: visible ASCII characters, because it is sent in a header. */
const TOKEN = /^[\u0021-\u007e]+$/;

function refuseImpossible(settings: HostSettings, policy: ReceiverPolicy): void {
  const { apiUrl, repository, sendsStatus, comments, credential } = settings;
  const { isPlace, place, placeAdvice, apiUrl: example } = CODE_HOSTS[settings.kind];
  if (!isPlace(repository)) throw invalidRequest(`The ${place} is invalid. Enter its ${placeAdvice}`, ['repository']);
  if (!sendsStatus && !comments)
    throw invalidRequest('The notification would never send anything. Choose commit statuses, comments or both');
  if (credential !== undefined && !TOKEN.test(credential))
    throw invalidRequest('The token is invalid. Enter it without spaces, line breaks or non-ASCII characters', [
      'credential',
    ]);
  if (apiUrl.includes('?'))
    throw invalidRequest(`The API address contains a query string. Enter it without one, such as ${example}`, [
      'apiUrl',
    ]);
  const problem = findUrlProblem(apiUrl, policy);
  if (problem !== undefined) throw invalidRequest(`API address: ${problem}`, ['apiUrl']);
}

/** Otherwise, an Admin could send a stored token to a server of their own, or write to another repository with it. */
export function refuseNewPlace(settings: NotificationSettings, storedNotification: Notification | undefined): void {
  // For a channel, the credential itself is the address.
  if (!storedNotification || settings.credential !== undefined || !isOfHost(settings) || !isOfHost(storedNotification))
    return;
  const names = { apiUrl: 'API address', repository: CODE_HOSTS[settings.kind].place };
  const changedFields: (keyof typeof names)[] = [];
  if (settings.apiUrl !== storedNotification.apiUrl) changedFields.push('apiUrl');
  if (settings.repository.toLowerCase() !== storedNotification.repository.toLowerCase())
    changedFields.push('repository');
  if (changedFields.length === 0) return;
  const places = changedFields.map((field) => names[field]).join(' and ');
  throw invalidRequest(
    `The stored token is used only with the ${places} for which it was saved. Enter the token again`,
    [...changedFields, 'credential'],
  );
}
