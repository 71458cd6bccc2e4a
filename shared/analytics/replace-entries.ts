/**
 * Changes the list of runs in the summaries of a span, and none of its totals. Unlike a merge, this needs no facts, so
 * that it also works after results have expired.
 */
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import { expectUnchangedRoot, type SpanOfProject, spanRoots } from '#shared/model/analytics/root.ts';
import { getGenerationSpan, splitSummary, summaryParts } from '#shared/model/analytics/summary.ts';
import { dueAnalytics } from '#shared/model/due.ts';
import type { CoreServices } from '#shared/services.ts';
import { WHOLE } from './cuts.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { readIndexes } from './span-index.ts';
import { GENERATION_CHARACTERS, makeGarbageRemoval } from './write-span.ts';

/**
 * Copies the summaries to a new generation. Readers see either generation. The content of the span stays the same, so
 * its parents stay current. The removal of the old generation waits only as long as a reader may need it.
 */
export async function replaceSpanEntries(
  { table, now, randomId }: CoreServices,
  span: SpanOfProject,
  replace: (entries: readonly PendingEntry[]) => readonly PendingEntry[],
): Promise<void> {
  await retryOptimistically('summaries of a span', async () => {
    const before = await table.get(spanRoots, span, { consistent: true });
    if (!before || before.entries === 0) return true;
    const [index] = await readIndexes({ table }, [before]);
    if (!index) return true;
    const generation = randomId(GENERATION_CHARACTERS);
    const ownRemoval = makeGarbageRemoval(before, generation, now() + ANALYTICS_LIMITS.abandonedMilliseconds);
    await table.writeMany([put(dueAnalytics, ownRemoval)]);
    const parts = await table.queryAll(summaryParts, getGenerationSpan(before), { consistent: true });
    const others = parts.filter(({ kind }) => kind !== 'index').map((part) => ({ ...part, generation }));
    const newIndex = { ...index, entries: replace(index.entries) };
    const indexParts = splitSummary({ ...before, generation, kind: 'index', cut: WHOLE }, newIndex);
    await table.writeMany([...others, ...indexParts].map((part) => put(summaryParts, part)));
    const bytes = indexParts.reduce((total, part) => total + part.bytes.byteLength, 0);
    const sizes = { ...before.sizes, index: { parts: indexParts.length, bytes } };
    const removal = makeGarbageRemoval(before, before.generation, now() + ANALYTICS_LIMITS.supersededMilliseconds);
    const isWritten = await table.transact([
      put(spanRoots, { ...before, version: before.version + 1, generation, sizes }, expectUnchangedRoot(before)),
      remove(dueAnalytics, ownRemoval),
      put(dueAnalytics, removal),
    ]);
    return isWritten || AGAIN;
  });
}
