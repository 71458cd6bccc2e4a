/** How GitLab's REST API reports problems and rate limits. */
import * as z from 'zod';
import { type ApiDialect, parseEpoch } from './api-client.ts';

/** `message` is a text, or an object such as `{ name: ['is too long'] }`. OAuth errors have the other two members. */
const Refusal = z.object({
  message: z.unknown().optional(),
  error: z.unknown().optional(),
  error_description: z.unknown().optional(),
});

export const makeGitlabDialect = (token: string): ApiDialect => ({
  headers: { Authorization: `Bearer ${token}` },
  secrets: [token],
  extractMessage: (json) => {
    const { message, error, error_description: description } = Refusal.safeParse(json).data ?? {};
    const text = message ?? description ?? error ?? '';
    return typeof text === 'string' ? text : JSON.stringify(text);
  },
  parseLimitEnd: (headers) => parseEpoch(headers['ratelimit-reset'], 'seconds'),
});
