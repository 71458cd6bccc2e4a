/**
 * The words by which people search for a run: of its build, commit, branch, author and pull request.
 * They are stored after the run has ended.
 */
import { type Entity, getPrefixSpan, type Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Commit, listKnownShas } from './commit.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run } from './run.ts';

interface RunWord extends Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'createdAt'> {
  readonly word: string;
}

export interface SearchedRun {
  readonly ciBuildId: string;
  readonly commit: Pick<Commit, 'sha' | 'ghaEventData' | 'branch' | 'authorName' | 'authorEmail' | 'message'>;
  readonly pullRequest?: Run['pullRequest'] | undefined;
}

const getPartition = (project: ProjectKey) => composeKey('WORDS', project.organizationId, project.projectId);

export const runWords: Entity<RunWord, RunWord & Expiring> & GoesWithRun = {
  type: 'run, by word',
  guarded: false,
  removal: { ends: 'results', pointers: (run) => listRunWords(run).map((word) => runWords.key({ ...run, word })) },
  patterns: [{ question: 'Runs by the beginning of a word' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('RUN', row.word, encodeInstant(row.createdAt), row.runId) }),
  store: pick('organizationId', 'projectId', 'runId', 'createdAt', 'word', 'expiresAt'),
  load: loadAttributes,
};

/** In the order of their creation. */
export const getWordSpan = (project: ProjectKey, word: string): Span =>
  getPrefixSpan(getPartition(project), composePrefix('RUN', word));

/** Longer words that begin with `word`. Letters and digits sort after the delimiter, where the range starts. */
export const getLongerWordsSpan = (project: ProjectKey, word: string): Span => ({
  ...getPrefixSpan(getPartition(project), composeKey('RUN', word)),
  from: `${composeKey('RUN', word)}$`,
});

const NO_WORD = /[^\p{L}\p{N}]+/u;
const LEAST_CHARACTERS = 2;

/** In lower case, without single characters. Long words are truncated. */
export const splitWords = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(NO_WORD)
      .filter((word) => word.length >= LEAST_CHARACTERS)
      .map((word) => word.slice(0, MODEL_LIMITS.searchWordCharacters)),
  ),
];

/** If there are too many, words at the end of the commit message are left out first. */
export function listRunWords({ ciBuildId, commit, pullRequest }: SearchedRun): string[] {
  const texts = [
    ...listKnownShas(commit),
    ciBuildId,
    pullRequest?.id,
    commit.branch,
    commit.authorName,
    commit.authorEmail,
    pullRequest?.title,
    commit.message?.split('\n', 1)[0],
  ];
  return splitWords(texts.filter((text) => text != null).join(' ')).slice(0, MODEL_LIMITS.searchWordsOfRun);
}
