/** The commit a run tested, as CI reported it. */
import * as z from 'zod';

const text = z
  .string()
  .max(65_536)
  .nullish()
  .transform((value) => value ?? null);

/** Pull-request facts that a GitHub event carries. */
const GithubEvent = z
  .object({
    headRef: text,
    headSha: text,
    baseRef: text,
    baseSha: text,
    issueUrl: text,
    htmlUrl: text,
    prTitle: text,
    senderAvatarUrl: text,
    senderHtmlUrl: text,
  })
  .nullish();

export const Commit = z
  .object({
    sha: text,
    branch: text,
    authorName: text,
    authorEmail: text,
    message: text,
    remoteOrigin: text,
    defaultBranch: text,
    ghaEventData: GithubEvent,
  })
  .meta({ id: 'Commit' });
export type Commit = z.output<typeof Commit>;

export const NO_COMMIT: Commit = Commit.parse({});
