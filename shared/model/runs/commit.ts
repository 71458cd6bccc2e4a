/** The commit that a run tested, as CI reported it. */
import * as z from 'zod';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
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

/** Most useful first. CI tests a merge commit that people do not know, so the head of a pull request is first. */
export const listKnownShas = ({ ghaEventData, sha }: Pick<Commit, 'ghaEventData' | 'sha'>): string[] =>
  [ghaEventData?.headSha, sha].filter((one) => typeof one === 'string');

/** A complete commit hash, SHA-1 or SHA-256. */
const FULL_SHA = /^(?:[\da-f]{40}|[\da-f]{64})$/i;

/** The commit that people recognize, in lower case. Code hosts accept no other form. */
export const findFullSha = (commit: Pick<Commit, 'ghaEventData' | 'sha'>): string | undefined =>
  listKnownShas(commit)
    .find((sha) => FULL_SHA.test(sha))
    ?.toLowerCase();

const SHORT_SHA = 7;

/** Of the commit that people recognize. */
export const findShortSha = (commit: Pick<Commit, 'ghaEventData' | 'sha'>): string | undefined =>
  listKnownShas(commit)[0]?.slice(0, SHORT_SHA);

/** Branches, author names and similar texts. */
export const limitCommitText = (value: string): string =>
  replaceInvalidCharacters(value.slice(0, MODEL_LIMITS.commitTextCharacters));

/** Drops whitespace at the end, because Git ends each message with a line break. */
const limitCommitMessage = (value: string): string =>
  replaceInvalidCharacters(value.slice(0, MODEL_LIMITS.commitMessageCharacters)).trimEnd();

const makeTextSchema = (limit: (value: string) => string) =>
  z
    .string()
    .nullish()
    .catch(null)
    .transform((value) => (value == null ? null : limit(value)));

const makeTextSchemas = <Shape extends object>(names: Shape) =>
  Object.fromEntries(
    Object.keys(names).map((name) => [name, makeTextSchema(name === 'message' ? limitCommitMessage : limitCommitText)]),
  );

/** Every field is optional, because an incomplete commit is no reason to refuse a run. */
export const SentCommit = z
  .object({
    ...makeTextSchemas(Commit.shape),
    ghaEventData: z.object(makeTextSchemas(GithubEvent.shape)).nullish().catch(null),
  })
  .nullish()
  .transform((commit) => Commit.parse({ ...NO_COMMIT, ...commit, ghaEventData: commit?.ghaEventData ?? null }));

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
