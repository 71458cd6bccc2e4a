/** The settings of notices, as forms and commands send them. */
import * as z from 'zod';
import { text } from '#shared/model/names.ts';
import { SLACK_RUNS } from '#shared/model/notice.ts';
import { NOTICE_LIMITS } from './limits.ts';

/** An absent credential keeps the stored one. */
const credential = text(NOTICE_LIMITS.credentialCharacters).optional();

export const GITHUB_API = 'https://api.github.com';

export const GithubSettings = z.object({
  kind: z.literal('github'),
  apiUrl: text(NOTICE_LIMITS.urlCharacters).default(GITHUB_API),
  repository: text(NOTICE_LIMITS.repositoryCharacters),
  context: text(NOTICE_LIMITS.contextCharacters).optional(),
  sendsStatus: z.boolean(),
  comments: z.boolean(),
  credential,
});

const SlackSettings = z.object({ kind: z.literal('slack'), runs: z.enum(SLACK_RUNS), credential });

export const NoticeSettings = z.discriminatedUnion('kind', [GithubSettings, SlackSettings]);
export type NoticeSettings = z.output<typeof NoticeSettings>;
