/**
 * A notification reports the runs of a project on GitHub or GitLab, or in a channel, such as a Slack channel. A project
 * has at most one notification of each kind. The credential is in Parameter Store. Access pattern: by id, which
 * consists of kind and project.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { WithCredential } from '#shared/model/credential.ts';
import type { Receiver, ReceiverKey } from './receiver.ts';

/** Code hosts get commit statuses and comments on pull requests. `CODE_HOSTS` contains the texts for these kinds. */
export const HOST_KINDS = ['github', 'gitlab'] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/**
 * Channels get at most one message about each run, when it has ended. The address of a channel is also its credential.
 * `CHANNELS` contains the texts for these kinds.
 */
export const CHANNEL_KINDS = ['slack', 'teams', 'generic'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const NOTIFICATION_KINDS = [...HOST_KINDS, ...CHANNEL_KINDS] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Which runs are reported to a channel. `changed`: runs whose result differs from that of the previous run. */
export const CHANNEL_RUNS = ['failed', 'changed', 'all'] as const;

interface NotificationBase extends Receiver, WithCredential {
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
}

export interface HostNotification extends NotificationBase {
  readonly kind: HostKind;
  /** The URL of the REST API of the code host, which may be self-hosted. */
  readonly apiUrl: string;
  /** For GitHub, the repository as `owner/name`. For GitLab, the path or the id of the project. */
  readonly repository: string;
  /** The name of the commit status. */
  readonly context: string;
  readonly sendsStatus: boolean;
  readonly comments: boolean;
  /** Random. The hidden markers of comments are derived from it, so that nobody can guess them in advance. */
  readonly markerKey: string;
}

export interface ChannelNotification extends NotificationBase {
  readonly kind: ChannelKind;
  readonly runs: (typeof CHANNEL_RUNS)[number];
  /** Only runs of these branches: names, or prefixes with a trailing `*`. Absent: of all branches. */
  readonly branches?: readonly string[];
}

export type Notification = HostNotification | ChannelNotification;

/** Whether a notification, or its settings, is for a code host and not for a channel. */
export const isOfHost = <T extends { readonly kind: NotificationKind }>(
  of: T,
): of is Extract<T, { readonly kind: HostKind }> => HOST_KINDS.some((kind) => kind === of.kind);

export const deriveNotificationId = (projectId: string, kind: NotificationKind): string => `${kind}-${projectId}`;

export const listNotificationKeys = ({
  organizationId,
  projectId,
}: Pick<Notification, 'organizationId' | 'projectId'>) =>
  NOTIFICATION_KINDS.map((kind) => ({ organizationId, hookId: deriveNotificationId(projectId, kind) }));

export const notifications: Entity<ReceiverKey, Notification> = {
  type: 'notification',
  guarded: false,
  gives: 'results',
  removal: 'apart',
  patterns: [{ question: 'A notification by id', of: { hookId: 'notification' } }],
  key: ({ organizationId, hookId }) => ({ pk: composeKey('NOTIFICATION', organizationId, hookId), sk: 'NOTIFICATION' }),
  store: toAttributes,
  load: loadAttributes,
};
