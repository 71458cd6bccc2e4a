/** The commands for notifications: messages about the runs of a project. */

import { readFile } from 'node:fs/promises';
import { hasCredential } from '#shared/model/credential.ts';
import {
  CHANNEL_KINDS,
  CHANNEL_RUNS,
  HOST_KINDS,
  isOfHost,
  NOTIFICATION_KINDS,
  type Notification,
  type NotificationKind,
} from '#shared/model/events/notification.ts';
import {
  deleteNotification,
  disableNotification,
  enableNotification,
  sendTestNotification,
} from '#shared/notifications/change-notification.ts';
import { CHANNELS } from '#shared/notifications/channels.ts';
import { CODE_HOSTS } from '#shared/notifications/code-hosts.ts';
import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { NotificationSettings } from '#shared/notifications/settings-wire.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { oneOf, optional, organization, project, textOption, yesOrNo } from './options.ts';
import { timeCell } from './rows.ts';
import { credentialStores, receiversOf } from './store.ts';
import { UsageError } from './usage-error.ts';

const kind = oneOf(NOTIFICATION_KINDS, 'receiver of the notification');
const credential = optional(
  textOption('<file>', 'file with the credential, or /dev/stdin; the stored credential is kept if omitted'),
);
const secrets = optional(textOption('<path>', 'stack output SecretsPrefix; needed with --table'));

const notificationRow = (of: Notification): CommandRow => ({
  kind: of.kind,
  target: isOfHost(of) ? `${of.repository} at ${of.apiUrl}` : 'the stored webhook address',
  tells: isOfHost(of)
    ? [...(of.sendsStatus ? [`status "${of.context}"`] : []), ...(of.comments ? ['comments'] : [])].join(', ')
    : `${of.runs} runs`,
  state: of.disabled ? `disabled: ${of.disabled.problem ?? of.disabled.reason}` : 'enabled',
});

async function secretsOf(context: CommandContext, prefix: string | undefined) {
  if (context.isDeployed && prefix === undefined) throw new UsageError('Missing --secrets');
  return (await credentialStores(context, { secrets: prefix })).secrets();
}

interface Given {
  readonly organization: string;
  readonly project: string;
  readonly credential?: string | undefined;
  readonly secrets?: string | undefined;
}

const requestOf = ({ actor }: CommandContext, { organization: organizationId, project: projectId }: Given) => ({
  organizationId,
  projectId,
  actor,
});

const requestOfOne = (context: CommandContext, given: Given & { readonly kind: NotificationKind }) => ({
  ...requestOf(context, given),
  kind: given.kind,
});

async function save(context: CommandContext, given: Given, settings: object): Promise<CommandRow[]> {
  const stored = given.credential === undefined ? undefined : (await readFile(given.credential, 'utf8')).trim();
  const { data, error } = NotificationSettings.safeParse({ ...settings, credential: stored });
  if (error) throw new UsageError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('. '));
  const services = {
    ...context.services,
    secrets: await secretsOf(context, given.secrets),
    privateReceivers: receiversOf(context),
  };
  return [notificationRow(await saveNotification(services, { ...requestOf(context, given), settings: data }))];
}

const ONE = { organization, project, kind };

export const NOTIFICATIONS = [
  ...HOST_KINDS.map((host) => {
    const { name: hostName, change, place, placeAdvice, apiUrl, ownServer } = CODE_HOSTS[host];
    return command({
      name: `notifications ${host}`,
      does: `report the runs of a project to ${hostName}, as commit statuses and comments on ${change}s`,
      options: {
        organization,
        project,
        repository: textOption(`<${place}>`, placeAdvice),
        credential,
        'api-url': optional(textOption('<url>', `REST API of ${ownServer}, ${apiUrl} by default`)),
        context: optional(textOption('<name>', 'name of the commit status, rundown/<project> by default')),
        status: optional(yesOrNo('whether to write commit statuses, true by default')),
        comments: optional(yesOrNo(`whether to comment on ${change}s, true by default`)),
        secrets,
      },
      run: (context, given) => {
        const { repository, context: name, status: sendsStatus = true, comments = true } = given;
        const settings = { kind: host, apiUrl: given['api-url'], repository, context: name, sendsStatus, comments };
        return save(context, given, settings);
      },
    });
  }),
  ...CHANNEL_KINDS.map((channel) =>
    command({
      name: `notifications ${channel}`,
      does: `report the runs of a project to ${CHANNELS[channel].name}, through an incoming webhook`,
      options: { organization, project, runs: oneOf(CHANNEL_RUNS, 'runs to report'), credential, secrets },
      run: (context, given) => save(context, given, { kind: channel, runs: given.runs }),
    }),
  ),
  command({
    name: 'notifications list',
    does: 'list the notifications of a project, each with its last result',
    options: { organization, project },
    run: async (context, given) =>
      (await listNotifications(context.services, requestOf(context, given))).map(({ notification, last }) => ({
        ...notificationRow(notification),
        last: last ? `${last.event} ${last.status} ${timeCell(last.createdAt)}` : '',
        problem: hasCredential(notification)
          ? (last?.attempts.at(-1)?.error ?? '')
          : 'the credential is missing; enter it again',
      })),
  }),
  command({
    name: 'notifications test',
    does: 'send a test message; "notifications list" shows the result',
    options: ONE,
    run: async (context, given) => [
      notificationRow(await sendTestNotification(context.services, requestOfOne(context, given))),
    ],
  }),
  command({
    name: 'notifications enable',
    does: 'enable a notification that was disabled',
    options: ONE,
    run: async (context, given) => {
      await enableNotification(context.services, requestOfOne(context, given));
      return [{ kind: given.kind, state: 'enabled' }];
    },
  }),
  command({
    name: 'notifications disable',
    does: 'disable a notification until it is enabled again',
    options: ONE,
    run: async (context, given) => {
      await disableNotification(context.services, requestOfOne(context, given));
      return [{ kind: given.kind, state: 'disabled' }];
    },
  }),
  command({
    name: 'notifications delete',
    does: 'delete a notification with its credential',
    options: { ...ONE, secrets },
    run: async (context, given) => {
      const services = { ...context.services, secrets: await secretsOf(context, given.secrets) };
      await deleteNotification(services, requestOfOne(context, given));
      return [{ kind: given.kind, state: 'deleted' }];
    },
  }),
];
