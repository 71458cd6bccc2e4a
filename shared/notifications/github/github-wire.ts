/** The parts of GitHub's responses that notifications read. */
import * as z from 'zod';
import { Ended } from '#shared/notifications/ended.ts';

export const GithubRefusal = z.object({ message: z.string() });

export const Comment = z.object({ id: z.int().positive(), body: z.string().nullish() });
export const Comments = z.array(Comment);

/** For an open pull request, `merge_commit_sha` is the merge commit that CI tests. */
export const GithubPullRequest = z.object({
  head: z.object({ sha: z.string() }),
  merge_commit_sha: z.string().nullish(),
});

/**
 * Parses a response. Throws if the response has an unexpected format, because a proxy may have answered in place of
 * GitHub.
 */
export function formed<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const { data } = schema.safeParse(json);
  if (data === undefined) throw new Ended({ kind: 'failed' }, "GitHub's response has an unexpected format");
  return data;
}
