/**
 * Finds the tests, spec files and runs of a project that contain the searched words. All names of tests and spec files
 * are read, from rows that analytics also uses and that each container caches. Runs are found through index rows, one
 * for each of their words.
 */
import { readNames } from '#shared/analytics/names.ts';
import type { SeriesName } from '#shared/analytics/series.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import { deriveSignature, deriveSpecSignature } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { splitWords } from '#shared/model/runs/run-word.ts';
import { contains, matchesWords, parseSearch, type SearchWords } from '#shared/results/contains.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { searchRuns } from './search-runs.ts';
import type { FoundSpecFile, FoundTest, SearchResults } from './search-wire.ts';

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
    tests.set(`${spec}\n${title}`, {
      name: title,
      rest: file,
      present: () => ({ signature: deriveSignature({ ...scope, spec: file, title: titlePath }), ...item }),
    });
  }
  const specFiles = [...files.values()].map(
    (spec): SearchItem<FoundSpecFile> => ({
      name: spec,
      rest: '',
      present: () => ({ signature: deriveSpecSignature({ ...scope, spec }), spec }),
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
  /** Called only for the items of the answer, because it computes a digest. */
  readonly present: () => Found;
}

/** The best matches. If several are equally good, those that were added to the project most recently come first. */
function pickBestMatches<Found>(all: readonly SearchItem<Found>[], searchWords: SearchWords, limit: number) {
  if (searchWords.included.length === 0) return { has_more: false, data: [] };
  const matches = all.flatMap((item, place) => {
    if (!matchesWords(`${item.name}\n${item.rest}`, searchWords)) return [];
    return [{ item, place, rank: rankName(item.name.toLowerCase(), searchWords.included) }];
  });
  matches.sort((one, other) => other.rank - one.rank || other.place - one.place);
  return { has_more: matches.length > limit, data: matches.slice(0, limit).map(({ item }) => item.present()) };
}

/** One point for each searched word that the name contains, or two if it first occurs at the beginning of a word. */
const rankName = (name: string, searchWords: readonly string[]): number =>
  searchWords.reduce((rank, word) => {
    const at = name.indexOf(word);
    if (at === -1) return rank;
    const isAtWordStart = at === 0 || !/[\p{L}\p{N}]/u.test(name.charAt(at - 1));
    return rank + (isAtWordStart ? 2 : 1);
  }, 0);
