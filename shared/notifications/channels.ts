/** The channels for messages about runs. The files in `channels/` build their messages. */
import {
  type ChannelKind,
  getPlaceKind,
  NOTIFICATION_KINDS,
  type NotificationKind,
  type NotificationPlace,
} from '#shared/model/events/notification.ts';
import { CODE_HOSTS } from './code-hosts.ts';

interface Channel {
  readonly name: string;
  /** The hosts of its webhook addresses. Absent if any host may be one. */
  readonly hosts?: readonly string[];
  /** What it stands for, if that is more than one product. */
  readonly note?: string;
  /** Tells people where to find the address of the channel's incoming webhook. */
  readonly advice: string;
}

export const CHANNELS: Readonly<Record<ChannelKind, Channel>> = {
  slack: {
    name: 'Slack',
    hosts: ['hooks.slack.com', 'hooks.slack-gov.com'],
    advice: 'Copy the address of an incoming webhook from Slack: https://hooks.slack.com/services/…',
  },
  teams: {
    name: 'Microsoft Teams',
    hosts: [
      'logic.azure.com',
      'logic.azure.us',
      'logic.azure.cn',
      'api.powerplatform.com',
      'api.gov.powerplatform.microsoft.us',
      'webhook.office.com',
    ],
    advice: 'In Teams, add the workflow “Post to a channel when a webhook request is received”, and copy its address',
  },
  generic: {
    name: 'another chat',
    note: 'Mattermost, Rocket.Chat, Google Chat, or a service of your own that accepts JSON',
    advice:
      'Enter the address of an incoming webhook of Mattermost, Rocket.Chat or Google Chat, or of your own service. Discord accepts only its own format',
  },
};

const getKindName = (kind: NotificationKind): string => ({ ...CODE_HOSTS, ...CHANNELS })[kind].name;

/** Such as `Slack`, or `Slack (2)` for the second channel. */
export function getPlaceName(place: NotificationPlace): string {
  const [, number] = place.split('-');
  const name = getKindName(getPlaceKind(place));
  return number === undefined ? name : `${name} (${number})`;
}

export const ALL_NAMES = new Intl.ListFormat('en').format(
  NOTIFICATION_KINDS.map((kind) => (kind === 'generic' ? 'other chats' : getKindName(kind))),
);
