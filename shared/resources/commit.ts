/** The commit a run tested, as CI reported it. */
import * as z from 'zod';
import { LIMITS } from '../limits.ts';

const text = z.string().nullable();

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
  .meta({ id: 'GithubEvent', description: 'Pull-request facts of a GitHub event' });

export const Commit = z
  .object({
    sha: text,
    branch: text,
    authorName: text,
    authorEmail: text,
    message: text,
    remoteOrigin: text,
    defaultBranch: text,
    ghaEventData: GithubEvent.nullable(),
  })
  .meta({ id: 'Commit' });
export type Commit = z.infer<typeof Commit>;

const sentText = (characters: number) =>
  z
    .string()
    .nullish()
    .catch(null)
    .transform((value) => value?.slice(0, characters).toWellFormed() ?? null);

const charactersOf = (name: string): number =>
  name === 'message' ? LIMITS.commitMessageCharacters : LIMITS.commitTextCharacters;

const named = <Shape extends object>(names: Shape) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, sentText(charactersOf(name))]));

/** As reporters send it: everything may be absent, and nothing about a commit is worth refusing a run for. */
export const SentCommit = z
  .object({ ...named(Commit.shape), ghaEventData: z.object(named(GithubEvent.shape)).nullish().catch(null) })
  .nullish()
  .transform((sent) => Commit.parse({ ...NO_COMMIT, ...sent, ghaEventData: sent?.ghaEventData ?? null }));

export const NO_COMMIT: Commit = {
  sha: null,
  branch: null,
  authorName: null,
  authorEmail: null,
  message: null,
  remoteOrigin: null,
  defaultBranch: null,
  ghaEventData: null,
};
