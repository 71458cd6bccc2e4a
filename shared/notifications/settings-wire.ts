/** The settings of notifications in the format that forms and commands send. */
import * as z from 'zod';
import { CHANNEL_KINDS, CHANNEL_RUNS } from '#shared/model/events/notification.ts';
import { text } from '#shared/model/names.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

/** If the request contains no credential, the stored credential is kept. */
const credential = text(NOTIFICATION_LIMITS.credentialCharacters).optional();

export const GITHUB_API = 'https://api.github.com';

export const GithubSettings = z.object({
  kind: z.literal('github'),
  apiUrl: text(NOTIFICATION_LIMITS.urlCharacters).default(GITHUB_API),
  repository: text(NOTIFICATION_LIMITS.repositoryCharacters),
  context: text(NOTIFICATION_LIMITS.contextCharacters).optional(),
  sendsStatus: z.boolean(),
  comments: z.boolean(),
  credential,
});

const ChannelSettings = z.object({ kind: z.enum(CHANNEL_KINDS), runs: z.enum(CHANNEL_RUNS), credential });

export const NotificationSettings = z.discriminatedUnion('kind', [GithubSettings, ChannelSettings]);
export type NotificationSettings = z.output<typeof NotificationSettings>;
