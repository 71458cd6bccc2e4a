/** The fields of the notification forms. An empty credential keeps the stored one. */
import * as z from 'zod';
import {
  CHANNEL_KINDS,
  CHANNEL_RUNS,
  type ChannelKind,
  HOST_KINDS,
  type HostKind,
} from '#shared/model/events/notification.ts';
import { CODE_HOSTS } from '#shared/notifications/code-hosts.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import type { NotificationSettings } from '#shared/notifications/settings-wire.ts';
import { checkbox, entry, given } from '#shared/pages/shell/form-wire.ts';

const { urlCharacters, repositoryCharacters, contextCharacters, credentialCharacters } = NOTIFICATION_LIMITS;

const credential = entry(credentialCharacters);

/** The page has one form per code host and per channel. `of` tells which of the forms was submitted. */
export const HOST_FIELDS = {
  of: z.enum(HOST_KINDS),
  apiUrl: entry(urlCharacters),
  repository: entry(repositoryCharacters),
  context: entry(contextCharacters),
  sendsStatus: checkbox,
  comments: checkbox,
  credential,
};

export const CHANNEL_FIELDS = { of: z.enum(CHANNEL_KINDS), runs: z.enum(CHANNEL_RUNS), credential };

type Sent<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

export const hostEntered = (kind: HostKind, sent: Sent<typeof HOST_FIELDS>): NotificationSettings => ({
  kind,
  apiUrl: given(sent.apiUrl) ?? CODE_HOSTS[kind].apiUrl,
  repository: sent.repository.trim(),
  context: given(sent.context),
  sendsStatus: sent.sendsStatus,
  comments: sent.comments,
  credential: given(sent.credential),
});

export const channelEntered = (kind: ChannelKind, sent: Sent<typeof CHANNEL_FIELDS>): NotificationSettings => ({
  kind,
  runs: sent.runs,
  credential: given(sent.credential),
});
