/** Merges pending runs into their leaf, and child spans into larger ones. Safe to repeat and to call concurrently. */
import { digest } from '#shared/engine/table/keys.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type PendingRun, pendingRuns, pendingSpan } from '#shared/model/analytics/pending.ts';
import { rootsSpan, type SpanOfProject, type SpanRoot, spanLeaves, spanRoots } from '#shared/model/analytics/root.ts';
import type { CoreServices } from '#shared/services.ts';
import { buildLeaf, buildLevel, type ChildSpan } from './build-span.ts';
import type { PendingEntry } from './entry.ts';
import { newestOfRuns, pendingEntriesOf } from './pending-entries.ts';
import type { AnalyticsScope } from './read-model.ts';
import { readIndexes } from './span-index.ts';
import { childrenOf, contentOfChildren, NOTHING, SpanTree } from './span-tree.ts';
import { writeSpan } from './write-span.ts';

const CONTENT_CHARACTERS = 16;

export async function mergeLeaf(services: CoreServices, scope: AnalyticsScope, leaf: number): Promise<void> {
  const { table, now } = services;
  const rows = await table.queryAll(pendingRuns, pendingSpan(scope, leaf, leaf), { consistent: true });
  const newest = newestOfRuns(rows);
  if (newest.length === 0) return;
  const of = { ...scope, level: 0, start: leaf };
  const before = await table.get(spanRoots, of, { consistent: true });
  const known = before && before.entries > 0 ? ((await readIndexes(services, [before]))[0]?.entries ?? []) : [];
  // The facts of some runs have expired, so the leaf cannot be built from scratch. Its totals stay as they are.
  const isSealed = known.some(({ endsAt }) => endsAt !== undefined && endsAt * 1000 <= now());
  if (!isSealed && !(await writeLeaf(services, { scope, of, before, entries: merged(known, newest) }))) return;
  await table.writeMany(usedRows(rows, newest).map((row) => remove(pendingRuns, row)));
}

function merged(known: readonly PendingEntry[], newest: readonly PendingRun[]): PendingEntry[] {
  const changed = new Set(newest.map(({ runId }) => runId));
  const all = [...known.filter(({ runId }) => !changed.has(runId)), ...pendingEntriesOf(newest)];
  const orderOf = ({ createdAt, runId, groupId }: PendingEntry) => [createdAt, runId, groupId] as const;
  return all.sort((one, other) => {
    const [at, ...names] = orderOf(one);
    const [otherAt, ...otherNames] = orderOf(other);
    return at - otherAt || (JSON.stringify(names) < JSON.stringify(otherNames) ? -1 : 1);
  });
}

/**
 * The pending rows that a merge uses up: those up to the merged version of each run. A newer version still waits for
 * its facts.
 */
function usedRows(rows: readonly PendingRun[], newest: readonly PendingRun[]): PendingRun[] {
  const versions = new Map(newest.map(({ runId, version }) => [runId, version]));
  return rows.filter(({ runId, version }) => version <= (versions.get(runId) ?? -1));
}

interface Leaf {
  readonly scope: AnalyticsScope;
  readonly of: SpanOfProject;
  readonly before: SpanRoot | undefined;
  readonly entries: readonly PendingEntry[];
}

/** Writes the summaries of a leaf. Returns false if another call wrote the leaf meanwhile. */
async function writeLeaf(services: CoreServices, { scope, of, before, entries }: Leaf): Promise<boolean> {
  const facts = entries.map((entry) => [entry.runId, entry.groupId, entry.digest, entry.status, entry.endedAt]);
  const content = entries.length === 0 ? NOTHING : digest(CONTENT_CHARACTERS, JSON.stringify(facts));
  if (content === (before?.content ?? NOTHING)) return true;
  return writeSpan(services, { of, before, content, built: await buildLeaf(services, scope, entries) });
}

/** Does nothing unless all children are current. A child that is written later makes its parent due again. */
export async function mergeLevel(
  services: CoreServices,
  scope: AnalyticsScope,
  span: { readonly level: number; readonly start: number },
): Promise<void> {
  const { table, now } = services;
  const first = span.start * spanLeaves(span.level);
  const all = rootsSpan(scope, first, first + spanLeaves(span.level) - 1);
  const tree = new SpanTree(await table.queryAll(spanRoots, all, { consistent: true }));
  if (tree.contentOf(span) !== undefined) return;
  const contents = childrenOf(span).map((child) => tree.contentOf(child));
  if (contents.includes(undefined)) return;
  const roots = childrenOf(span).flatMap((child) =>
    tree.contentOf(child) === NOTHING ? [] : (tree.rootOf(child) ?? []),
  );
  const indexes = await readIndexes(services, roots);
  const children = roots.flatMap((root, place): ChildSpan[] => {
    const index = indexes[place];
    return index ? [{ root, index }] : [];
  });
  // Some facts have expired, so the sets of this span would be incomplete. Readers keep using its children.
  const ended = children.some(({ index }) => index.entries.some(({ endsAt = Infinity }) => endsAt * 1000 <= now()));
  if (ended) return;
  const built = await buildLevel(services, scope, children);
  const content = contentOfChildren(contents.flatMap((one) => one ?? []));
  const of = { ...scope, level: span.level, start: span.start };
  await writeSpan(services, { of, before: tree.rootOf(span), content, built });
}
