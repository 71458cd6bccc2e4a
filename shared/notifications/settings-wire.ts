/** The settings of notifications in the format that forms and commands send. */
import * as z from 'zod';
import {
  CHANNEL_KINDS,
  CHANNEL_PLACES,
  CHANNEL_RUNS,
  type HostKind,
  type NotificationPlace,
} from '#shared/model/events/notification.ts';
import { text } from '#shared/model/names.ts';
import { RecordedBranchFilter } from '#shared/results/branch-filter.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

/** If the request contains no credential, the stored credential is kept. */
const credential = text(NOTIFICATION_LIMITS.credentialCharacters).optional();

const hostSettings = <Kind extends HostKind>(kind: Kind) =>
  z.object({
    kind: z.literal(kind),
    apiUrl: text(NOTIFICATION_LIMITS.urlCharacters).default(CODE_HOSTS[kind].apiUrl),
    repository: text(NOTIFICATION_LIMITS.repositoryCharacters),
    context: text(NOTIFICATION_LIMITS.contextCharacters).optional(),
    sendsStatus: z.boolean(),
    comments: z.boolean(),
    credential,
  });

const ChannelSettings = z.object({
  kind: z.enum(CHANNEL_KINDS),
  /** Which of several channels of this kind. By default the first one. */
  place: z.enum(CHANNEL_PLACES).optional(),
  runs: z.enum(CHANNEL_RUNS),
  /** Empty or absent: runs of all branches. */
  branches: z.array(RecordedBranchFilter).max(NOTIFICATION_LIMITS.branches).optional(),
  credential,
});

export const NotificationSettings = z.discriminatedUnion('kind', [
  hostSettings('github'),
  hostSettings('gitlab'),
  ChannelSettings,
]);
export type NotificationSettings = z.output<typeof NotificationSettings>;

export const getPlaceOfSettings = (settings: NotificationSettings): NotificationPlace =>
  'place' in settings && settings.place !== undefined ? settings.place : settings.kind;
