/** The commands for notifications: messages about the runs of a project. */

import { readFile } from 'node:fs/promises';
import { hasCredential } from '#shared/model/credential.ts';
import {
  CHANNEL_KINDS,
  CHANNEL_RUNS,
  getNotificationPlace,
  HOST_KINDS,
  isOfHost,
  listChannelPlaces,
  NOTIFICATION_PLACES,
  type Notification,
  type NotificationPlace,
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
import { booleanOption, choiceOption, labelsOption, optional, organization, project, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';
import { getPrivateReceivers, openCredentialStores } from './store.ts';
import { UsageError } from './terminal/usage-error.ts';

const kind = choiceOption(NOTIFICATION_PLACES, 'receiver of the notification');
const credential = optional(
  textOption('<file>', 'file with the credential, or /dev/stdin; the stored credential is kept if omitted'),
);
const secrets = optional(textOption('<path>', 'stack output SecretsPrefix; needed with --table'));

const toNotificationRow = (notification: Notification): CommandRow => ({
  kind: getNotificationPlace(notification),
  ...describeReports(notification),
  state: notification.disabled
    ? `disabled: ${notification.disabled.problem ?? notification.disabled.reason}`
    : 'enabled',
});

/** Where a notification reports to, and what. */
function describeReports(notification: Notification): { readonly target: string; readonly tells: string } {
  if (!isOfHost(notification)) {
    const { runs, branches } = notification;
    const tells = branches ? `${runs} runs on ${branches.join(', ')}` : `${runs} runs`;
    return { target: 'the stored webhook address', tells };
  }
  const { repository, apiUrl, sendsStatus, context, comments } = notification;
  const reports: string[] = [];
  if (sendsStatus) reports.push(`status "${context}"`);
  if (comments) reports.push('comments');
  return { target: `${repository} at ${apiUrl}`, tells: reports.join(', ') };
}

async function openSecrets(context: CommandContext, prefix: string | undefined) {
  if (context.isDeployed && prefix === undefined) throw new UsageError('Missing --secrets');
  return (await openCredentialStores(context, { secrets: prefix })).secrets();
}

interface NotificationOptions {
  readonly organization: string;
  readonly project: string;
  readonly credential?: string | undefined;
  readonly secrets?: string | undefined;
}

const toProjectRequest = (
  { actor }: CommandContext,
  { organization: organizationId, project: projectId }: NotificationOptions,
) => ({
  organizationId,
  projectId,
  actor,
});

const toNotificationRequest = (
  context: CommandContext,
  options: NotificationOptions & { readonly kind: NotificationPlace },
) => ({
  ...toProjectRequest(context, options),
  place: options.kind,
});

async function save(context: CommandContext, options: NotificationOptions, settings: object): Promise<CommandRow[]> {
  const newCredential =
    options.credential === undefined ? undefined : (await readFile(options.credential, 'utf8')).trim();
  const { data, error } = NotificationSettings.safeParse({ ...settings, credential: newCredential });
  if (error) throw new UsageError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('. '));
  const services = {
    ...context.services,
    secrets: await openSecrets(context, options.secrets),
    privateReceivers: getPrivateReceivers(context),
  };
  return [
    toNotificationRow(await saveNotification(services, { ...toProjectRequest(context, options), settings: data })),
  ];
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
        status: optional(booleanOption('whether to write commit statuses, true by default')),
        comments: optional(booleanOption(`whether to comment on ${change}s, true by default`)),
        secrets,
      },
      run: (context, options) => {
        const { repository, context: name, status: sendsStatus = true, comments = true } = options;
        const settings = { kind: host, apiUrl: options['api-url'], repository, context: name, sendsStatus, comments };
        return save(context, options, settings);
      },
    });
  }),
  ...CHANNEL_KINDS.map((channel) =>
    command({
      name: `notifications ${channel}`,
      does: `report the runs of a project to ${CHANNELS[channel].name}, through an incoming webhook`,
      options: {
        organization,
        project,
        place: optional(
          choiceOption(listChannelPlaces(channel), 'which of several channels, the first one by default'),
        ),
        runs: choiceOption(CHANNEL_RUNS, 'runs to report'),
        branches: optional(
          labelsOption('<names>', 'only these branches, with commas between them; a trailing * matches a prefix'),
        ),
        credential,
        secrets,
      },
      run: (context, options) =>
        save(context, options, {
          kind: channel,
          place: options.place,
          runs: options.runs,
          branches: options.branches,
        }),
    }),
  ),
  command({
    name: 'notifications list',
    does: 'list the notifications of a project, each with its last result',
    options: { organization, project },
    run: async (context, options) =>
      (await listNotifications(context.services, toProjectRequest(context, options))).map(({ notification, last }) => ({
        ...toNotificationRow(notification),
        last: last ? `${last.event} ${last.status} ${formatTimeCell(last.createdAt)}` : '',
        problem: hasCredential(notification)
          ? (last?.attempts.at(-1)?.error ?? '')
          : 'the credential is missing; enter it again',
      })),
  }),
  command({
    name: 'notifications test',
    does: 'send a test message; "notifications list" shows the result',
    options: ONE,
    run: async (context, options) => [
      toNotificationRow(await sendTestNotification(context.services, toNotificationRequest(context, options))),
    ],
  }),
  command({
    name: 'notifications enable',
    does: 'enable a notification that was disabled',
    options: ONE,
    run: async (context, options) => {
      await enableNotification(context.services, toNotificationRequest(context, options));
      return [{ kind: options.kind, state: 'enabled' }];
    },
  }),
  command({
    name: 'notifications disable',
    does: 'disable a notification until it is enabled again',
    options: ONE,
    run: async (context, options) => {
      await disableNotification(context.services, toNotificationRequest(context, options));
      return [{ kind: options.kind, state: 'disabled' }];
    },
  }),
  command({
    name: 'notifications delete',
    does: 'delete a notification with its credential',
    options: { ...ONE, secrets },
    run: async (context, options) => {
      const services = { ...context.services, secrets: await openSecrets(context, options.secrets) };
      await deleteNotification(services, toNotificationRequest(context, options));
      return [{ kind: options.kind, state: 'deleted' }];
    },
  }),
];
