/** `GET /projects/{projectId}/search`: its query and its response. */
import * as z from 'zod';
import { RunFeedItem } from '#shared/results/runs/run-wire.ts';
import { SEARCH_LIMITS } from './limits.ts';

const { minimum, maximum, default: byDefault } = SEARCH_LIMITS.results;

/** Runs are found only by words of at least two letters or digits. */
export const searchText = z.string().trim().min(1).max(SEARCH_LIMITS.queryCharacters).meta({
  description:
    'Words in any order, ignoring case. Quotes join words to a phrase, and `-word` excludes what has the word. Tests and spec files contain each of them; runs have a word that begins with each of them',
});

export const searchQuery = {
  q: searchText,
  limit: z
    .int()
    .min(minimum)
    .max(maximum)
    .default(byDefault)
    .meta({ description: 'Maximum number of results of each kind' }),
};

const HAS_MORE = z.boolean().meta({ description: 'Whether more than these match. A more precise text finds them' });
const signature = z.string();

export const FoundTest = z
  .object({ signature, title: z.string(), titlePath: z.array(z.string()), spec: z.string() })
  .meta({ id: 'TestInSearch' });
export type FoundTest = z.infer<typeof FoundTest>;

export const FoundSpecFile = z.object({ signature, spec: z.string() }).meta({ id: 'SpecFileInSearch' });
export type FoundSpecFile = z.infer<typeof FoundSpecFile>;

export const FoundRun = RunFeedItem.pick({
  runId: true,
  createdAt: true,
  durationMs: true,
  status: true,
  completionState: true,
  meta: true,
}).meta({ id: 'RunInSearch' });
export type FoundRun = z.infer<typeof FoundRun>;

const resultList = <Item extends z.ZodType>(item: Item) => z.object({ has_more: HAS_MORE, data: z.array(item) });

export const SearchResults = z
  .object({ tests: resultList(FoundTest), specFiles: resultList(FoundSpecFile), runs: resultList(FoundRun) })
  .meta({ id: 'SearchResults' });
export type SearchResults = z.infer<typeof SearchResults>;
