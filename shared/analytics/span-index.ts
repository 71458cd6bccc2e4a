/** The index of a span: the list of its run groups, and the sets of run groups that have summaries. */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { SpanRoot, SummaryKind, SummarySize } from '#shared/model/analytics/root.ts';
import { summaryParts } from '#shared/model/analytics/summary.ts';
import { WHOLE } from './cuts.ts';
import type { Events, PendingEntry } from './entry.ts';
import { readParts } from './read-parts.ts';

export interface SpanIndex {
  readonly entries: readonly PendingEntry[];
  /** For each set of run groups, the sizes of its summaries of tests and of spec files. */
  readonly cuts: Readonly<Record<string, { readonly tests: SummarySize; readonly specs: SummarySize }>>;
}

export interface SpanEvents extends Events {
  /** For each execution, the index of its run group in the list of run groups of the span. */
  readonly entry: readonly number[];
}

/** The events of one run group, as if it were the only one of a span. */
export const toSpanEvents = (events: Events): SpanEvents => ({ ...events, entry: events.series.map(() => 0) });

/** Identifies one summary of a span. The root row of the span names the current generation of its summaries. */
export interface SummaryPlace {
  readonly root: SpanRoot;
  readonly kind: SummaryKind;
  readonly cut: string;
  readonly size: SummarySize;
}

/** Thrown if summaries were replaced and removed while they were being read. */
export class MissingSummary extends Error {}

export async function readSummaries<Value extends object>(
  services: WithTable,
  places: readonly SummaryPlace[],
): Promise<Value[]> {
  const keys = places.map(({ root, kind, cut, size }) =>
    Array.from({ length: size.parts }, (_, part) => ({ ...root, kind, cut, part })),
  );
  const values: readonly (Value | undefined)[] = await readParts(services, summaryParts, keys);
  return places.map(({ kind, root: { level, start, generation } }, index) => {
    const value = values[index];
    if (!value)
      throw new MissingSummary(
        `The summary with kind ${kind}, level ${level}, start ${start} and generation ${generation} is missing`,
      );
    return value;
  });
}

export const locateWholeSummary = (root: SpanRoot, kind: SummaryKind): SummaryPlace => ({
  root,
  kind,
  cut: WHOLE,
  size: root.sizes[kind],
});

/** A span without a root row has no run groups. */
export async function readEntries(services: WithTable, root: SpanRoot | undefined): Promise<readonly PendingEntry[]> {
  const [index] = root && root.entries > 0 ? await readIndexes(services, [root]) : [];
  return index?.entries ?? [];
}

export const readIndexes = (services: WithTable, roots: readonly SpanRoot[]): Promise<SpanIndex[]> =>
  readSummaries<SpanIndex>(
    services,
    roots.map((root) => locateWholeSummary(root, 'index')),
  );
