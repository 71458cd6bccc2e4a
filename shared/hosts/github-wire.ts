/** How GitHub's REST API reports problems and rate limits. */
import * as z from 'zod';
import { type ApiDialect, parseEpoch } from './api-client.ts';

const Refusal = z.object({ message: z.string() });

const extractMessage = (json: unknown): string => Refusal.safeParse(json).data?.message ?? '';

export const makeGithubDialect = (token: string): ApiDialect => ({
  headers: {
    Accept: 'application/vnd.github+json',
    Authorization: `Bearer ${token}`,
    'X-GitHub-Api-Version': '2022-11-28',
  },
  secrets: [token],
  extractMessage,
  /** GitHub reports most rate limits with status 403, and a header or an error message about the limit. */
  isLimit: ({ statusCode, headers, json }) =>
    statusCode === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      /rate limit|abuse/i.test(extractMessage(json))),
  // Secondary limits do not change these headers.
  parseLimitEnd: (headers) =>
    headers['x-ratelimit-remaining'] === '0' ? parseEpoch(headers['x-ratelimit-reset'], 'seconds') : undefined,
});
