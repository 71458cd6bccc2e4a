/**
 * Writes the summaries of a span under a new generation, and then the root row, which names the generation. A generation
 * that no root row names is never read, so an interrupted call changes nothing, and the rows that it wrote are removed
 * later.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, put, remove } from '#shared/engine/table/writes.ts';
import {
  countLeaves,
  expectUnchangedRoot,
  NO_SUMMARY,
  type SpanOfProject,
  type SpanRoot,
  type SummaryKind,
  type SummarySize,
  spanRoots,
} from '#shared/model/analytics/root.ts';
import { getGenerationSpan, type SummaryPart, splitSummary, summaryParts } from '#shared/model/analytics/summary.ts';
import { type DueAnalytics, dueAnalytics } from '#shared/model/due.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import type { BuiltSpan } from './build-span.ts';
import { WHOLE } from './cuts.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { SpanIndex } from './span-index.ts';

export const GENERATION_CHARACTERS = 12;

export interface SpanUpdate {
  readonly of: SpanOfProject;
  readonly before: SpanRoot | undefined;
  readonly content: string;
  readonly built: BuiltSpan;
}

/** Returns false if another call wrote the span in the meantime. */
export async function writeSpan(services: CoreServices, update: SpanUpdate): Promise<boolean> {
  const { table, now, randomId } = services;
  const { of, before, content, built } = update;
  const generation = randomId(GENERATION_CHARACTERS);
  const { parts, sizes } = buildSummaryParts({ ...of, generation }, built);
  const ownRemoval = makeGarbageRemoval(of, generation, now() + ANALYTICS_LIMITS.abandonedMilliseconds);
  await table.writeMany([put(dueAnalytics, ownRemoval)]);
  await table.writeMany(parts.map((part) => put(summaryParts, part)));
  const times = built.entries.map(({ createdAt }) => createdAt);
  const root: SpanRoot = {
    ...of,
    version: (before?.version ?? 0) + 1,
    generation,
    content,
    entries: built.entries.length,
    from: times.reduce((least, time) => Math.min(least, time), times[0] ?? 0),
    to: times.reduce((most, time) => Math.max(most, time), 0),
    sizes,
  };
  const writes = [
    put(spanRoots, root, before ? expectUnchangedRoot(before) : ABSENT),
    remove(dueAnalytics, ownRemoval),
    ...planParentMerge(of, now()),
  ];
  if (before) {
    const dueAt = now() + ANALYTICS_LIMITS.supersededMilliseconds;
    writes.push(put(dueAnalytics, makeGarbageRemoval(of, before.generation, dueAt)));
  }
  return table.transact(writes);
}

export const makeGarbageRemoval = (
  { organizationId, projectId, level, start }: SpanOfProject,
  generation: string,
  dueAt: number,
): DueAnalytics => ({ organizationId, projectId, dueAt, work: { kind: 'garbage', level, start, generation } });

/** `levelPauseMilliseconds` after the end of the parent span, or immediately if that time has passed. */
function planParentMerge({ organizationId, projectId, level, start }: SpanOfProject, now: number) {
  if (level >= ANALYTICS_LIMITS.levels) return [];
  const parent = { level: level + 1, start: Math.floor(start / MODEL_LIMITS.spansPerLevel) };
  const ends = (parent.start + 1) * countLeaves(parent.level) * MODEL_LIMITS.leafMilliseconds;
  const dueAt = Math.max(now, ends + ANALYTICS_LIMITS.levelPauseMilliseconds);
  return [put(dueAnalytics, { organizationId, projectId, dueAt, work: { kind: 'merge', ...parent } })];
}

function buildSummaryParts(
  spanGeneration: SpanOfProject & { readonly generation: string },
  { entries, sets, events }: BuiltSpan,
): { readonly parts: readonly SummaryPart[]; readonly sizes: SpanRoot['sizes'] } {
  const parts: SummaryPart[] = [];
  const add = (kind: SummaryKind, cut: string, value: object): SummarySize => {
    const newParts = splitSummary({ ...spanGeneration, kind, cut }, value);
    parts.push(...newParts);
    return { parts: newParts.length, bytes: newParts.reduce((total, { bytes }) => total + bytes.byteLength, 0) };
  };
  if (entries.length === 0)
    return { parts, sizes: { tests: NO_SUMMARY, specs: NO_SUMMARY, events: NO_SUMMARY, index: NO_SUMMARY } };
  const totals = sets.map(({ cut, tests, specs }) => {
    const size = { tests: add('tests', cut, tests), specs: add('specs', cut, specs) };
    return [cut, size] as const;
  });
  const { [WHOLE]: wholeSize = { tests: NO_SUMMARY, specs: NO_SUMMARY }, ...cuts } = Object.fromEntries(totals);
  const index: SpanIndex = { entries, cuts };
  return { sizes: { ...wholeSize, events: add('events', WHOLE, events), index: add('index', WHOLE, index) }, parts };
}

/** Removes the summaries of a generation, unless it is the current one. */
export async function removeGarbage(
  { table }: WithTable,
  spanGeneration: SpanOfProject & { readonly generation: string },
): Promise<void> {
  const root = await table.get(spanRoots, spanGeneration, { consistent: true });
  if (root?.generation === spanGeneration.generation) return;
  const parts = await table.queryAll(summaryParts, getGenerationSpan(spanGeneration), { consistent: true });
  await table.writeMany(parts.map((part) => remove(summaryParts, part)));
}
