/**
 * Writes the summaries of a span under a new generation, and then its root. Nobody reads a generation that no root
 * names, so an interrupted call changes nothing. Its rows are removed as garbage later.
 */
import { ABSENT, put, remove } from '#shared/engine/table/writes.ts';
import {
  NO_SUMMARY,
  type SpanOfProject,
  type SpanRoot,
  type SummaryKind,
  type SummarySize,
  spanLeaves,
  spanRoots,
  unchangedRoot,
} from '#shared/model/analytics/root.ts';
import { generationSpan, type SummaryPart, splitSummary, summaryParts } from '#shared/model/analytics/summary.ts';
import { type DueAnalytics, dueAnalytics } from '#shared/model/due.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import type { BuiltSpan } from './build-span.ts';
import { WHOLE } from './cuts.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { SpanIndex } from './span-index.ts';

const GENERATION_CHARACTERS = 12;

interface Written {
  readonly of: SpanOfProject;
  readonly before: SpanRoot | undefined;
  readonly content: string;
  readonly built: BuiltSpan;
}

/** Writes the summaries and the root of a span. Returns false if another call wrote the span meanwhile. */
export async function writeSpan(services: CoreServices, written: Written): Promise<boolean> {
  const { table, now, randomId } = services;
  const { of, before, content, built } = written;
  const generation = randomId(GENERATION_CHARACTERS);
  const { parts, sizes } = partsOf({ ...keyOf(of), generation }, built);
  const own = garbage(of, generation, now() + ANALYTICS_LIMITS.abandonedMilliseconds);
  await table.writeMany([put(dueAnalytics, own)]);
  await table.writeMany(parts.map((part) => put(summaryParts, part)));
  const times = built.entries.map(({ createdAt }) => createdAt);
  const root: SpanRoot = {
    ...keyOf(of),
    version: (before?.version ?? 0) + 1,
    generation,
    content,
    entries: built.entries.length,
    from: times.reduce((least, time) => Math.min(least, time), times[0] ?? 0),
    to: times.reduce((most, time) => Math.max(most, time), 0),
    sizes,
  };
  const replaced = before && garbage(of, before.generation, now() + ANALYTICS_LIMITS.supersededMilliseconds);
  return table.transact([
    put(spanRoots, root, before ? unchangedRoot(before) : ABSENT),
    remove(dueAnalytics, own),
    ...(replaced ? [put(dueAnalytics, replaced)] : []),
    ...parentDue(of, now()),
  ]);
}

const keyOf = ({ organizationId, projectId, level, start }: SpanOfProject): SpanOfProject => ({
  organizationId,
  projectId,
  level,
  start,
});

function garbage(of: SpanOfProject, generation: string, dueAt: number): DueAnalytics {
  const { organizationId, projectId, level, start } = of;
  return { organizationId, projectId, dueAt, work: { kind: 'garbage', level, start, generation } };
}

/** Makes the parent span due: some time after its end, or at once if that time has passed. */
function parentDue({ organizationId, projectId, level, start }: SpanOfProject, now: number) {
  if (level >= ANALYTICS_LIMITS.levels) return [];
  const parent = { level: level + 1, start: Math.floor(start / MODEL_LIMITS.spansPerLevel) };
  const ends = (parent.start + 1) * spanLeaves(parent.level) * MODEL_LIMITS.leafMilliseconds;
  const dueAt = Math.max(now, ends + ANALYTICS_LIMITS.levelPauseMilliseconds);
  return [put(dueAnalytics, { organizationId, projectId, dueAt, work: { kind: 'merge', ...parent } })];
}

function partsOf(
  of: SpanOfProject & { readonly generation: string },
  { entries, sets, events }: BuiltSpan,
): { readonly parts: readonly SummaryPart[]; readonly sizes: SpanRoot['sizes'] } {
  const parts: SummaryPart[] = [];
  const add = (kind: SummaryKind, cut: string, value: object): SummarySize => {
    const own = splitSummary({ ...of, kind, cut }, value);
    parts.push(...own);
    return { parts: own.length, bytes: own.reduce((total, { bytes }) => total + bytes.byteLength, 0) };
  };
  if (entries.length === 0)
    return { parts, sizes: { tests: NO_SUMMARY, specs: NO_SUMMARY, events: NO_SUMMARY, index: NO_SUMMARY } };
  const totals = sets.map(({ cut, tests, specs }) => {
    const size = { tests: add('tests', cut, tests), specs: add('specs', cut, specs) };
    return [cut, size] as const;
  });
  const { [WHOLE]: whole = { tests: NO_SUMMARY, specs: NO_SUMMARY }, ...cuts } = Object.fromEntries(totals);
  const index: SpanIndex = { entries, cuts };
  return { sizes: { ...whole, events: add('events', WHOLE, events), index: add('index', WHOLE, index) }, parts };
}

/** Removes a generation that is not current. */
export async function removeGarbage({ table }: CoreServices, due: DueAnalytics): Promise<void> {
  const { organizationId, projectId, work } = due;
  if (work.kind !== 'garbage') return;
  const of = { organizationId, projectId, ...work };
  const root = await table.get(spanRoots, of, { consistent: true });
  if (root?.generation === work.generation) return;
  const parts = await table.queryAll(summaryParts, generationSpan(of), { consistent: true });
  await table.writeMany(parts.map((part) => remove(summaryParts, part)));
}
