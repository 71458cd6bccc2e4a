/** Replaces the author in the lists of runs by which analytics filter. Totals do not know authors. */
import { type PendingEntry, packEntries, unpackEntries } from '#shared/analytics/entry.ts';
import { replaceSpanEntries } from '#shared/analytics/replace-entries.ts';
import { readIndexes } from '#shared/analytics/span-index.ts';
import { getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { replaceAuthor } from '#shared/model/organizations/erasure.ts';
import type { CoreServices } from '#shared/services.ts';
import { ERASURE_LIMITS } from './limits.ts';
import type { SearchedPerson } from './searched-person.ts';

/** Beyond the last leaf of any run. */
const LAST_LEAF = 99_999_999;

const replaceIn = (person: SearchedPerson, entries: readonly PendingEntry[]): PendingEntry[] =>
  entries.map((entry) => (person.isAuthor(entry) ? { ...entry, ...replaceAuthor(entry, person.pseudonym) } : entry));

const hasAuthor = (person: SearchedPerson, entries: readonly PendingEntry[]): boolean =>
  entries.some((entry) => person.isAuthor(entry));

/** Runs that no summary contains yet. Returns where the next page begins. */
export async function erasePendingRuns(
  { table }: CoreServices,
  person: SearchedPerson,
  project: ProjectKey,
  after: string | undefined,
): Promise<string | undefined> {
  const options = { limit: ERASURE_LIMITS.rowsPerPage, consistent: true, after };
  const { rows, lastRead } = await table.query(pendingRuns, getPendingRunsSpan(project, 0, LAST_LEAF), options);
  for (const { item } of rows) {
    const entries = item.packed ? unpackEntries(item.packed) : [];
    if (!item.packed || !hasAuthor(person, entries)) continue;
    for (const entry of entries) await person.rememberName({ table }, entry);
    const packed = packEntries(replaceIn(person, entries));
    await table.update(pendingRuns, item, { set: [['packed', packed]] }, { path: 'packed', equals: item.packed });
  }
  return lastRead;
}

/** Summaries, also of runs that have expired. Returns where the next page begins. */
export async function eraseSummaries(
  services: CoreServices,
  person: SearchedPerson,
  project: ProjectKey,
  after: string | undefined,
): Promise<string | undefined> {
  const { table } = services;
  const options = { limit: ERASURE_LIMITS.spansPerPage, consistent: true, after };
  const { rows, lastRead } = await table.query(spanRoots, getRootsSpan(project, 0, LAST_LEAF), options);
  const roots = rows.flatMap(({ item }) => (item.entries > 0 ? [item] : []));
  const indexes = roots.length > 0 ? await readIndexes(services, roots) : [];
  for (const [place, root] of roots.entries()) {
    const index = indexes[place];
    if (!index || !hasAuthor(person, index.entries)) continue;
    for (const entry of index.entries) await person.rememberName(services, entry);
    await replaceSpanEntries(services, root, (entries) => replaceIn(person, entries));
  }
  return lastRead;
}
