/**
 * Finds the tests, spec files and runs of a project that contain the searched words. All names of tests and spec files
 * are read, from rows that analytics also uses and that each container caches. Runs are found through index rows, one
 * for each of their words.
 */
import { readNames } from '#shared/analytics/names.ts';
import type { SeriesName } from '#shared/analytics/series.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import { deriveSignature, deriveSpecSignature } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { runs } from '#shared/model/runs/run.ts';
import { getLongerWordsSpan, getWordSpan, listRunWords, runWords, splitWords } from '#shared/model/runs/run-word.ts';
import { contains, matchesWords, parseSearch, type SearchWords } from '#shared/results/contains.ts';
import { presentRun } from '#shared/results/runs/run-feed.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { FoundRun, FoundSpecFile, FoundTest, SearchResults } from './search-wire.ts';

interface SearchRequest extends ProjectKey {
  readonly query: { readonly q: string; readonly limit: number };
}

export async function searchProject(services: WithTable, { query, ...scope }: SearchRequest): Promise<SearchResults> {
  const [results] = await Promise.all([
    searchKnownProject(services, { ...scope, query }),
    findProject(services, scope),
  ]);
  return results;
}

/** Searches a project that the caller has already read. */
export async function searchKnownProject(
  services: WithTable,
  { query, ...scope }: SearchRequest,
): Promise<SearchResults> {
  const { q, limit } = query;
  const { included, excluded } = parseSearch(q);
  const [series, files, foundRuns] = await Promise.all([
    readNames<SeriesName>(services, { ...scope, kind: 'TEST' }),
    readNames<string>(services, { ...scope, kind: 'SPEC' }),
    searchRuns(services, scope, {
      words: splitWords(included.join(' ')),
      excluded: splitWords(excluded.join(' ')),
      limit,
    }),
  ]);
  const searchWords = {
    included: [...new Set(included)].slice(0, SEARCH_LIMITS.words),
    excluded: excluded.slice(0, SEARCH_LIMITS.words),
  };
  const tests = new Map<string, SearchItem<FoundTest>>();
  for (const [spec, titlePath] of series.values()) {
    const file = files.get(spec) ?? '';
    const title = titlePath.join(' > ');
    const item = { title, titlePath: [...titlePath], spec: file };
    // The names contain a test several times if its tags have changed. The map keeps one entry per test.
    const signature = () => deriveSignature({ ...scope, spec: file, title: titlePath });
    tests.set(`${spec}\n${title}`, { name: title, rest: file, found: () => ({ signature: signature(), ...item }) });
  }
  const specFiles = [...files.values()].map(
    (spec): SearchItem<FoundSpecFile> => ({
      name: spec,
      rest: '',
      found: () => ({ signature: deriveSpecSignature({ ...scope, spec }), spec }),
    }),
  );
  return {
    tests: pickBestMatches([...tests.values()], searchWords, limit),
    specFiles: pickBestMatches(specFiles, searchWords, limit),
    runs: foundRuns,
  };
}

/** The spec files of the project, and those of them with a test that matches. The words may be in title and path. */
export async function searchSpecFiles(
  services: WithTable,
  scope: ProjectKey,
  search: string,
): Promise<{ readonly matches: ReadonlySet<string>; readonly known: ReadonlySet<string> }> {
  const [series, files] = await Promise.all([
    readNames<SeriesName>(services, { ...scope, kind: 'TEST' }),
    readNames<string>(services, { ...scope, kind: 'SPEC' }),
  ]);
  const matches = new Set<string>();
  for (const [spec, title] of series.values()) {
    const file = files.get(spec) ?? '';
    if (!matches.has(file) && contains(`${title.join(' > ')}\n${file}`, search)) matches.add(file);
  }
  return { matches, known: new Set(files.values()) };
}

interface SearchItem<Found> {
  readonly name: string;
  /** Further text that is searched, such as the spec file of a test. */
  readonly rest: string;
  readonly found: () => Found;
}

/** The best matches. If several are equally good, those that were added to the project most recently come first. */
function pickBestMatches<Found>(all: readonly SearchItem<Found>[], searchWords: SearchWords, limit: number) {
  const matches = all.flatMap((one, place) => {
    if (searchWords.included.length === 0 || !matchesWords(`${one.name}\n${one.rest}`, searchWords)) return [];
    return [{ one, place, rank: rankName(one.name.toLowerCase(), searchWords.included) }];
  });
  matches.sort((first, second) => second.rank - first.rank || second.place - first.place);
  return { has_more: matches.length > limit, data: matches.slice(0, limit).map(({ one }) => one.found()) };
}

/** One point for each searched word that the name contains, or two if it first occurs at the beginning of a word. */
const rankName = (name: string, searchWords: readonly string[]): number =>
  searchWords.reduce((rank, word) => {
    const at = name.indexOf(word);
    return at === -1 ? rank : rank + (at === 0 || !/[\p{L}\p{N}]/u.test(name.charAt(at - 1)) ? 2 : 1);
  }, 0);

interface Candidates {
  /** The creation time of each run, by run id, in epoch milliseconds. */
  readonly byId: ReadonlyMap<string, number>;
  readonly isWhole: boolean;
}

/**
 * Finds the newest runs that match all words. A run matches a searched word if a word of the run begins with the
 * searched word. If too many runs match each of the words, some results may be missing. `has_more` is then true.
 */
async function searchRuns(
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
