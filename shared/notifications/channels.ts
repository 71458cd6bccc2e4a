/** The channels that take messages about runs, and what people read about them. `channels/` has a file for each message. */
import { type ChannelKind, NOTIFICATION_KINDS, type NotificationKind } from '#shared/model/events/notification.ts';

interface Channel {
  readonly name: string;
  /** Where people find the address. */
  readonly advice: string;
}

export const CHANNELS: Readonly<Record<ChannelKind, Channel>> = {
  slack: {
    name: 'Slack',
    advice: 'Copy the address of an incoming webhook from Slack: https://hooks.slack.com/services/…',
  },
};

export const nameOfKind = (kind: NotificationKind): string => (kind === 'github' ? 'GitHub' : CHANNELS[kind].name);

/** `GitHub and Slack` */
export const ALL_NAMES = new Intl.ListFormat('en').format(NOTIFICATION_KINDS.map(nameOfKind));
