/** The fields of the notification forms. An empty credential keeps the stored one. */
import * as z from 'zod';
import {
  CHANNEL_PLACES,
  CHANNEL_RUNS,
  type ChannelPlace,
  getChannelKind,
  HOST_KINDS,
  type HostKind,
} from '#shared/model/events/notification.ts';
import { CODE_HOSTS } from '#shared/notifications/code-hosts.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import type { NotificationSettings } from '#shared/notifications/settings-wire.ts';
import { checkbox, entry, trimEntry } from '#shared/pages/shell/form-wire.ts';

const { urlCharacters, branchesCharacters, repositoryCharacters, contextCharacters, credentialCharacters } =
  NOTIFICATION_LIMITS;

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
  staysOff: checkbox,
};

export const CHANNEL_FIELDS = {
  of: z.enum(CHANNEL_PLACES),
  runs: z.enum(CHANNEL_RUNS),
  branches: entry(branchesCharacters),
  credential,
  staysOff: checkbox,
};

type FormValues<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

export const toHostSettings = (kind: HostKind, fields: FormValues<typeof HOST_FIELDS>): NotificationSettings => ({
  kind,
  apiUrl: trimEntry(fields.apiUrl) ?? CODE_HOSTS[kind].apiUrl,
  repository: fields.repository.trim(),
  context: trimEntry(fields.context),
  sendsStatus: fields.sendsStatus,
  comments: fields.comments,
  credential: trimEntry(fields.credential),
});

export const toChannelSettings = (
  place: ChannelPlace,
  fields: FormValues<typeof CHANNEL_FIELDS>,
): NotificationSettings => ({
  kind: getChannelKind(place),
  place,
  runs: fields.runs,
  branches: fields.branches.split(/[\s,]+/).filter((branch) => branch !== ''),
  credential: trimEntry(fields.credential),
});
