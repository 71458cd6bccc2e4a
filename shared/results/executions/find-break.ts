/** Between which runs of a branch a test broke: the last one in which it passed, and the first one in which it failed. */
import type { Commit } from '#shared/model/runs/commit.ts';
import type { LatestExecutions, ShownExecution } from './latest-executions.ts';

export interface Break {
  /** Absent if the test has never passed in the executions that were read. */
  readonly lastGood: ShownExecution | undefined;
  readonly firstBad: ShownExecution;
  /** Whether the first failure may be an earlier one, because the history has older executions. */
  readonly mayBeEarlier: boolean;
}

/** Of the newest series of failures. `undefined` if the test has not failed on the branch, in this group. */
export function findBreak(
  { executions, hasMore }: LatestExecutions,
  { branch, groupId }: { readonly branch: string; readonly groupId: string },
): Break | undefined {
  const results = executions.filter(
    ({ commit, status, groupId: group }) =>
      group === groupId && commit.branch === branch && (status === 'passed' || status === 'failed'),
  );
  const newestFailure = results.findIndex(({ status }) => status === 'failed');
  if (newestFailure === -1) return undefined;
  const sinceNewestFailure = results.slice(newestFailure);
  const passIndex = sinceNewestFailure.findIndex(({ status }) => status === 'passed');
  const failures = passIndex === -1 ? sinceNewestFailure : sinceNewestFailure.slice(0, passIndex);
  const firstBad = failures.at(-1);
  const lastGood = sinceNewestFailure[passIndex];
  return firstBad && { lastGood, firstBad, mayBeEarlier: lastGood === undefined && hasMore };
}

/** A run between the last pass and the first failure, or the run of the failure. */
export interface Suspect {
  readonly runId: string;
  readonly createdAt: string;
  readonly sha: string | null;
  readonly message: string | null;
  readonly authorName: string | null;
  /** What the commit has in common with the names of the test and its file. */
  readonly words: readonly string[];
  /** The result of the test in the run. Absent if the run did not execute the test, or in another group only. */
  readonly execution: ShownExecution | undefined;
}

interface RunOfBranch {
  readonly runId: string;
  readonly createdAt: string;
  readonly meta: { readonly commit: Pick<Commit, 'sha' | 'message' | 'authorName'> };
}

/** `runs`: of the branch, newest first. The most suspicious ones come first, then the newest. */
export function listSuspects(
  { lastGood, firstBad }: Break,
  runs: readonly RunOfBranch[],
  executions: readonly ShownExecution[],
): Suspect[] {
  return listRunsBetween(lastGood, firstBad, runs)
    .map(({ runId, createdAt, meta: { commit } }) => ({
      runId,
      createdAt,
      sha: commit.sha,
      message: commit.message,
      authorName: commit.authorName,
      words: listCommonWords(commit.message ?? '', firstBad),
      execution: executions.find((one) => one.runId === runId && one.groupId === firstBad.groupId),
    }))
    .toSorted((one, other) => other.words.length - one.words.length);
}

/** From the run of the first failure back to the one after the last pass, or to the oldest run that was read. */
function listRunsBetween(
  lastGood: ShownExecution | undefined,
  firstBad: ShownExecution,
  runs: readonly RunOfBranch[],
): readonly RunOfBranch[] {
  const start = runs.findIndex(({ runId }) => runId === firstBad.runId);
  if (start === -1) return [];
  if (!lastGood) return runs.slice(start, start + 1);
  const end = runs.findIndex(({ runId }) => runId === lastGood.runId);
  return end === -1 ? runs.slice(start) : runs.slice(start, end);
}

const WORD = /[\p{L}\d]{3,40}/gu;
/** Words that say nothing about what a commit changes. */
const COMMON_WORDS: ReadonlySet<string> = new Set([
  ...['add', 'and', 'are', 'change', 'fix', 'for', 'from', 'let', 'make', 'merge', 'more', 'not', 'now', 'test'],
  ...['tests', 'spec', 'remove', 'that', 'the', 'this', 'update', 'use', 'with', 'when'],
]);

const listWords = (text: string): string[] =>
  (text.toLowerCase().match(WORD) ?? []).filter((word) => !COMMON_WORDS.has(word));

/** The words of a commit that also name the spec file or the test, which makes the commit a suspect. */
function listCommonWords(message: string, { spec, title }: Pick<ShownExecution, 'spec' | 'title'>): string[] {
  const names = listWords(`${spec.replaceAll(/([a-z])([A-Z])/g, '$1 $2')} ${title.join(' ')}`);
  const isNamed = (word: string) =>
    names.some((name) => name === word || (word.length > 3 && (name.startsWith(word) || word.startsWith(name))));
  return [...new Set(listWords(message).filter(isNamed))];
}
