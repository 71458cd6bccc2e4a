/** What a later machine adds to a run: tags and environments, merged whoever comes at the same time. */

import { LIMITS } from '../limits.ts';
import { optimistically } from '../optimistic.ts';
import { type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { mergeTags } from '../tags.ts';

const MERGED = ['tags', 'groupTags', 'environments'] as const;
type Merged = Pick<Run, (typeof MERGED)[number]>;

export async function mergeIntoRun({ table }: Services, run: Run, added: Merged): Promise<void> {
  let known: Merged = run;
  await optimistically('tags of a run', async () => {
    const set = MERGED.map((name) => [name, mergeTags(known[name], added[name]).slice(0, LIMITS.tagsPerRun)] as const);
    if (set.every(([name, merged]) => merged.length === known[name].length)) return true;
    const unchanged = { all: MERGED.map((name) => ({ path: name, equals: known[name] })) };
    const outcome = await table.update(runs, run, { set }, unchanged);
    if (!outcome.done && outcome.existing) known = outcome.existing;
    return outcome.done;
  });
}
