/**
 * A notification reports the runs of a project on GitHub or GitLab, or in a channel, such as a Slack channel. A project
 * has at most one notification for each code host, and a few for each kind of channel. The credential is in Parameter
 * Store. Access pattern: by id, which consists of place and project.
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

/** How many channels of one kind a project may have. Each event reads the rows of all of them. */
const CHANNEL_NUMBERS = [2, 3] as const;

/** Where a project reports: its code host, or one of its channels, such as `slack` or `slack-2`. */
export type ChannelPlace = ChannelKind | `${ChannelKind}-${(typeof CHANNEL_NUMBERS)[number]}`;
export type NotificationPlace = HostKind | ChannelPlace;

export const listChannelPlaces = (kind: ChannelKind): readonly ChannelPlace[] => [
  kind,
  ...CHANNEL_NUMBERS.map((number) => `${kind}-${number}` as const),
];

export const CHANNEL_PLACES: readonly ChannelPlace[] = CHANNEL_KINDS.flatMap(listChannelPlaces);
export const NOTIFICATION_PLACES: readonly NotificationPlace[] = [...HOST_KINDS, ...CHANNEL_PLACES];

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
  notification: T,
): notification is Extract<T, { readonly kind: HostKind }> => HOST_KINDS.some((kind) => kind === notification.kind);

export const deriveNotificationId = (projectId: string, place: NotificationPlace): string => `${place}-${projectId}`;

export const getNotificationPlace = ({ hookId, projectId }: Pick<Notification, 'hookId' | 'projectId'>) =>
  NOTIFICATION_PLACES.find((place) => deriveNotificationId(projectId, place) === hookId) ?? refuseUnknownPlace(hookId);

function refuseUnknownPlace(hookId: string): never {
  throw new Error(`The notification ${hookId} has an id that this version does not know`);
}

export const getChannelKind = (place: ChannelPlace): ChannelKind =>
  CHANNEL_KINDS.find((kind) => listChannelPlaces(kind).includes(place)) ?? refuseUnknownPlace(place);

export const getPlaceKind = (place: NotificationPlace): NotificationKind =>
  NOTIFICATION_KINDS.find((kind) => listPlaces(kind).includes(place)) ?? refuseUnknownPlace(place);

function listPlaces(kind: NotificationKind): readonly NotificationPlace[] {
  const channel = CHANNEL_KINDS.find((one) => one === kind);
  return channel ? listChannelPlaces(channel) : [kind];
}

export const listNotificationKeys = ({
  organizationId,
  projectId,
}: Pick<Notification, 'organizationId' | 'projectId'>) =>
  NOTIFICATION_PLACES.map((place) => ({ organizationId, hookId: deriveNotificationId(projectId, place) }));

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
