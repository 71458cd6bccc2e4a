/**
 * Merges pending runs into the summaries of their leaf span, and summaries of child spans into those of larger spans.
 * Safe to repeat and to call concurrently.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import { getPendingRunsSpan, type PendingRun, pendingRuns } from '#shared/model/analytics/pending.ts';
import {
  countLeaves,
  expectUnchangedRoot,
  getRootsSpan,
  type SpanOfTime,
  spanRoots,
} from '#shared/model/analytics/root.ts';
import type { CoreServices } from '#shared/services.ts';
import { buildLeaf, buildLevel, type ChildSpan } from './build-span.ts';
import type { PendingEntry } from './entry.ts';
import { applyChanges, pickNewestChanges } from './pending-entries.ts';
import type { AnalyticsScope } from './read-model.ts';
import { readEntries, readIndexes } from './span-index.ts';
import { computeChildrenContent, listChildSpans, NOTHING, SpanTree } from './span-tree.ts';
import { type SpanUpdate, writeSpan } from './write-span.ts';

const CONTENT_CHARACTERS = 16;

export async function mergeLeaf(services: CoreServices, scope: AnalyticsScope, leaf: number): Promise<void> {
  const { table, now } = services;
  const rows = await table.queryAll(pendingRuns, getPendingRunsSpan(scope, leaf, leaf), { consistent: true });
  const changes = pickNewestChanges(rows);
  if (changes.length === 0) return;
  const projectSpan = { ...scope, level: 0, start: leaf };
  const before = await table.get(spanRoots, projectSpan, { consistent: true });
  const entries = await readEntries(services, before);
  // If the facts of some runs have expired, the summaries of the leaf span cannot be built from scratch, so its totals
  // stay as they are. The new version of the root tells exports that a run of the leaf was changed or deleted.
  const isSealed = before !== undefined && haveExpiredFacts(entries, now());
  const isWritten = isSealed
    ? await table.transact([put(spanRoots, { ...before, version: before.version + 1 }, expectUnchangedRoot(before))])
    : await writeLeaf(services, scope, { of: projectSpan, before }, applyChanges(entries, changes));
  if (isWritten) await table.writeMany(listMergedRows(rows, changes).map((row) => remove(pendingRuns, row)));
}

const haveExpiredFacts = (entries: readonly PendingEntry[], now: number): boolean =>
  entries.some(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt * 1000 <= now);

/** The rows up to the merged version of each run. A newer version still waits for its facts. */
function listMergedRows(rows: readonly PendingRun[], changes: readonly PendingRun[]): PendingRun[] {
  const versions = new Map(changes.map(({ runId, version }) => [runId, version]));
  return rows.filter(({ runId, version }) => version <= (versions.get(runId) ?? -1));
}

/** Returns false if another call wrote the span in the meantime. */
async function writeLeaf(
  services: CoreServices,
  scope: AnalyticsScope,
  { of, before }: Pick<SpanUpdate, 'of' | 'before'>,
  entries: readonly PendingEntry[],
): Promise<boolean> {
  const facts = entries.map((entry) => [entry.runId, entry.groupId, entry.digest, entry.status, entry.endedAt]);
  const content = entries.length === 0 ? NOTHING : computeDigest(CONTENT_CHARACTERS, JSON.stringify(facts));
  if (content === (before?.content ?? NOTHING)) return true;
  return writeSpan(services, { of, before, content, built: await buildLeaf(services, scope, entries) });
}

/**
 * Merges the child spans of a larger span. Does nothing unless the summaries of all children are current. When the
 * summaries of a child are written later, the merge of the parent is scheduled again.
 */
export async function mergeLevel(services: CoreServices, scope: AnalyticsScope, span: SpanOfTime): Promise<void> {
  const { table, now } = services;
  const first = span.start * countLeaves(span.level);
  const all = getRootsSpan(scope, first, first + countLeaves(span.level) - 1);
  const tree = new SpanTree(await table.queryAll(spanRoots, all, { consistent: true }));
  if (tree.contentOf(span) !== undefined) return;
  const childSpans = listChildSpans(span);
  const contents = childSpans.map((child) => tree.contentOf(child));
  if (contents.includes(undefined)) return;
  const roots = childSpans.flatMap((child) => (tree.contentOf(child) === NOTHING ? [] : (tree.rootOf(child) ?? [])));
  const indexes = await readIndexes(services, roots);
  const children = roots.flatMap((root, place): ChildSpan[] => {
    const index = indexes[place];
    return index ? [{ root, index }] : [];
  });
  // If some facts have expired, the summaries of this span would be incomplete. Readers then use the summaries of its
  // children instead.
  if (children.some(({ index }) => haveExpiredFacts(index.entries, now()))) return;
  const builtSpan = await buildLevel(services, scope, children);
  const content = computeChildrenContent(contents.flatMap((one) => one ?? []));
  const projectSpan = { ...scope, level: span.level, start: span.start };
  await writeSpan(services, { of: projectSpan, before: tree.rootOf(span), content, built: builtSpan });
}
