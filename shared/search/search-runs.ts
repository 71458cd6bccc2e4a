/** Finds the runs that contain the searched words, by index rows for their words. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { runs } from '#shared/model/runs/run.ts';
import { getLongerWordsSpan, getWordSpan, listRunWords, runWords } from '#shared/model/runs/run-word.ts';
import { presentRun } from '#shared/results/runs/run-feed.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { FoundRun } from './search-wire.ts';

interface Candidates {
  /** The creation time of each run, by run id, in epoch milliseconds. */
  readonly byId: ReadonlyMap<string, number>;
  readonly isWhole: boolean;
}

/**
 * Finds the newest runs that match all words. A run matches a searched word if a word of the run begins with the
 * searched word. If too many runs match each of the words, some results may be missing. `has_more` is then true.
 */
export async function searchRuns(
  { table }: WithTable,
  scope: ProjectKey,
  {
    words,
    excluded,
    limit,
  }: { readonly words: readonly string[]; readonly excluded: readonly string[]; readonly limit: number },
): Promise<{ has_more: boolean; data: FoundRun[] }> {
  // Looks up the longest words first, because long words are rare and narrow the search most.
  const lookupWords = words.toSorted((one, other) => other.length - one.length).slice(0, SEARCH_LIMITS.wordsOfRuns);
  const lists = await mapConcurrently(lookupWords, (word) => readCandidates({ table }, scope, word));
  const [first, ...others] = lists.some(({ isWhole }) => isWhole) ? lists.filter(({ isWhole }) => isWhole) : lists;
  if (!first) return { has_more: false, data: [] };
  const places = [...first.byId]
    .filter(([runId]) => others.every(({ byId }) => byId.has(runId)))
    .sort(([, one], [, other]) => other - one);
  // Compares each run with all words, because some words may not have been looked up, and some lists may have been cut.
  const candidateRuns = await table.getMany(
    runs,
    places.slice(0, 2 * limit).map(([runId]) => ({ ...scope, runId })),
  );
  const matchingRuns = candidateRuns.flatMap((run) => {
    const indexedWords = (run && listRunWords(run)) ?? [];
    const hasWord = (word: string) => indexedWords.some((other) => other.startsWith(word));
    return run && words.every(hasWord) && !excluded.some(hasWord) ? [run] : [];
  });
  const isCut = places.length > 2 * limit || lists.every(({ isWhole }) => !isWhole);
  return { has_more: isCut || matchingRuns.length > limit, data: matchingRuns.slice(0, limit).map(presentFoundRun) };
}

function presentFoundRun(run: Parameters<typeof presentRun>[0]): FoundRun {
  const { runId, createdAt, durationMs, status, completionState, meta } = presentRun(run, []);
  return { runId, createdAt, durationMs, status, completionState, meta };
}

async function readCandidates({ table }: WithTable, scope: ProjectKey, word: string): Promise<Candidates> {
  const options = { limit: SEARCH_LIMITS.runsOfWord, newestFirst: true };
  const pages = await Promise.all([
    table.query(runWords, getWordSpan(scope, word), options),
    table.query(runWords, getLongerWordsSpan(scope, word), options),
  ]);
  const byId = new Map(pages.flatMap(({ rows }) => rows.map(({ item }) => [item.runId, item.createdAt] as const)));
  return { byId, isWhole: pages.every(({ lastRead }) => lastRead === undefined) };
}
