/** The commit that a run tested, as CI reported it. */
import * as z from 'zod';
import { queueable } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';

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
  .meta({ id: 'GithubEvent', description: 'Pull request data from a GitHub event' });

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

/**
 * The commits by which people recognize the run, most useful first. For a pull request, CI tests a merge commit that
 * people do not know, so the head of the pull request comes first.
 */
export const knownShas = ({ ghaEventData, sha }: Pick<Commit, 'ghaEventData' | 'sha'>): string[] =>
  [ghaEventData?.headSha, sha].filter((one) => typeof one === 'string');

/** A complete commit hash, SHA-1 or SHA-256. */
const FULL_SHA = /^(?:[\da-f]{40}|[\da-f]{64})$/i;

/**
 * The complete hash of the commit by which people recognize the run, in lower case, or `undefined` if the run has none.
 * Code hosts accept no other form.
 */
export const fullSha = (commit: Pick<Commit, 'ghaEventData' | 'sha'>): string | undefined =>
  knownShas(commit)
    .find((sha) => FULL_SHA.test(sha))
    ?.toLowerCase();

const SHORT_SHA = 7;

/** The short form of the commit by which people recognize the run, or `undefined` if the run has no commit. */
export const shortSha = (commit: Pick<Commit, 'ghaEventData' | 'sha'>): string | undefined =>
  knownShas(commit)[0]?.slice(0, SHORT_SHA);

/** The stored form of a branch, an author name and similar texts. */
export const commitText = (value: string): string => queueable(value.slice(0, MODEL_LIMITS.commitTextCharacters));

/**
 * The stored form of a commit message. Drops whitespace at the end, because Git ends each message with a line break.
 */
const commitMessage = (value: string): string =>
  queueable(value.slice(0, MODEL_LIMITS.commitMessageCharacters)).trimEnd();

const sentText = (recorded: (value: string) => string) =>
  z
    .string()
    .nullish()
    .catch(null)
    .transform((value) => (value == null ? null : recorded(value)));

const named = <Shape extends object>(names: Shape) =>
  Object.fromEntries(
    Object.keys(names).map((name) => [name, sentText(name === 'message' ? commitMessage : commitText)]),
  );

/**
 * The commit as reporters send it. Every field is optional, because an incomplete commit is no reason to refuse a run.
 */
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
