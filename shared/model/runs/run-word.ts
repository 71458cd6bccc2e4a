/**
 * The words by which people search for a run. They come from its build, commit, branch, author and pull request. They
 * are stored after the run has ended. Access pattern: runs of a project by the beginning of a word, newest first for a
 * whole word.
 */
import { beginningWith, type Entity, type Span } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { pick, stored } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Commit, knownShas } from './commit.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run } from './run.ts';

interface RunWord extends Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'createdAt'> {
  readonly word: string;
}

/** The parts of a run that can be searched. */
export interface SearchedRun {
  readonly ciBuildId: string;
  readonly commit: Pick<Commit, 'sha' | 'ghaEventData' | 'branch' | 'authorName' | 'authorEmail' | 'message'>;
  readonly pullRequest?: Run['pullRequest'] | undefined;
}

const partition = (of: ProjectKey) => composed('WORDS', of.organizationId, of.projectId);

export const runWords: Entity<RunWord, RunWord & Expiring> & GoesWithRun = {
  type: 'run, by word',
  guarded: false,
  removal: { ends: 'results', pointers: (run) => wordsOfRun(run).map((word) => runWords.key({ ...run, word })) },
  patterns: [
    { question: 'Runs by the beginning of a word', key: 'pk = WORDS#org#project, sk = RUN#word#createdAt#run' },
  ],
  key: (of) => ({ pk: partition(of), sk: composed('RUN', of.word, instantKey(of.createdAt), of.runId) }),
  store: pick('organizationId', 'projectId', 'runId', 'createdAt', 'word', 'expiresAt'),
  load: stored,
};

/** The runs with exactly this word, in the order of their creation. */
export const runsWithWord = (of: ProjectKey, word: string): Span => beginningWith(partition(of), prefix('RUN', word));

/**
 * The runs with a longer word that begins with `word`. The range starts after the delimiter, because letters and digits
 * sort after it.
 */
export const runsWithLongerWord = (of: ProjectKey, word: string): Span => ({
  ...beginningWith(partition(of), composed('RUN', word)),
  from: `${composed('RUN', word)}$`,
});

const NO_WORD = /[^\p{L}\p{N}]+/u;
const LEAST_CHARACTERS = 2;

/** The words of a text in lower case, without single characters. Long words are truncated. */
export const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(NO_WORD)
      .filter((word) => word.length >= LEAST_CHARACTERS)
      .map((word) => word.slice(0, MODEL_LIMITS.searchWordCharacters)),
  ),
];

/** The words of a run. If there are too many, words at the end of the commit message are left out first. */
export function wordsOfRun({ ciBuildId, commit, pullRequest }: SearchedRun): string[] {
  const texts = [
    ...knownShas(commit),
    ciBuildId,
    pullRequest?.id,
    commit.branch,
    commit.authorName,
    commit.authorEmail,
    pullRequest?.title,
    commit.message?.split('\n', 1)[0],
  ];
  return wordsOf(texts.filter((text) => text != null).join(' ')).slice(0, MODEL_LIMITS.searchWordsOfRun);
}
