/**
 * Periodically does the due work of the read model: computes the facts (aggregates) of ended runs, merges summaries and
 * removes old summaries.
 */

import { computeDigest } from '#shared/engine/table/keys.ts';
import { processDueRows, type Sweep } from '#shared/engine/table/sweep.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, put, remove } from '#shared/engine/table/writes.ts';
import {
  getLeaf,
  getPendingRunsSpan,
  markCorrected,
  type PendingRun,
  pendingRuns,
  scheduleCompilation,
} from '#shared/model/analytics/pending.ts';
import {
  countLeaves,
  expectUnchangedRoot,
  getRootsSpan,
  NO_SUMMARY,
  type SpanOfProject,
  type SpanOfTime,
  type SpanRoot,
  type SummaryKind,
  type SummarySize,
  spanRoots,
} from '#shared/model/analytics/root.ts';
import { getGenerationSpan, type SummaryPart, splitSummary, summaryParts } from '#shared/model/analytics/summary.ts';
import { type DueAnalytics, dueAnalytics, getNextMultiple } from '#shared/model/due.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { CoreServices } from '#shared/services.ts';
import { type BuiltSpan, buildLeaf, buildLevel, type ChildSpan } from './build-span.ts';
import { compileRun } from './compile-run.ts';
import { WHOLE } from './cuts.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { applyChanges, pickNewestChanges } from './pending-entries.ts';
import type { AnalyticsScope } from './read-model.ts';
import { readEntries, readIndexes, type SpanIndex } from './span-index.ts';
import { computeChildrenContent, listChildSpans, NOTHING, SpanTree } from './span-tree.ts';

export interface SweptAnalytics extends Sweep {
  /** Number of spec files that were left out because their stored results are damaged. */
  readonly incomplete: number;
}

export async function sweepAnalytics(
  services: CoreServices,
  time: Parameters<typeof processDueRows>[1],
): Promise<SweptAnalytics> {
  const gate = new Gate(ANALYTICS_LIMITS.jobsAtOnce);
  let incomplete = 0;
  const note = ({ runId, instanceId }: Instance) => {
    incomplete += 1;
    time.onFailure?.(new Error(`The stored results of the instance ${instanceId} of run ${runId} are damaged`));
  };
  const handle = async (due: DueAnalytics) => {
    await gate.pass(() => doDueWork(services, due, note));
    await services.table.writeMany([remove(dueAnalytics, due)]);
  };
  const swept = await processDueRows(services, time, dueAnalytics, handle);
  return { ...swept, incomplete };
}

async function doDueWork(services: CoreServices, due: DueAnalytics, note: (instance: Instance) => void): Promise<void> {
  const { organizationId, projectId } = due;
  const scope = { organizationId, projectId };
  if (due.work.kind === 'compile') (await compileAndScheduleMerge(services, scope, due.work)).forEach(note);
  else if (due.work.kind === 'recheck') await markForRecheck(services, organizationId, due.work);
  else if (due.work.kind === 'garbage') await removeGarbage(services, { ...scope, ...due.work });
  else if (due.work.level === 0) await mergeLeaf(services, scope, due.work.start);
  else await mergeLevel(services, scope, due.work);
}

interface EndedRun extends AnalyticsScope {
  readonly runId: string;
  readonly runCreatedAt: number;
  /** When the run ended, in epoch milliseconds. */
  readonly occurredAt: number;
}

/** Called by the event of the end of a run. Idempotent. If the computation fails, the next sweep repeats it. */
export async function compileEndedRun(services: CoreServices, endedRun: EndedRun): Promise<readonly Instance[]> {
  const { organizationId, projectId, runId, runCreatedAt: createdAt, occurredAt } = endedRun;
  const due = scheduleCompilation({ organizationId, projectId, runId, createdAt }, occurredAt);
  if (!(await services.table.get(dueAnalytics, due, { consistent: true }))) return [];
  const unreadable = await compileAndScheduleMerge(services, { organizationId, projectId }, { runId, createdAt });
  await services.table.writeMany([remove(dueAnalytics, due)]);
  return unreadable;
}

/** Returns the spec files whose stored results are damaged. */
async function compileAndScheduleMerge(
  services: CoreServices,
  scope: AnalyticsScope,
  { runId, createdAt }: Pick<Run, 'runId' | 'createdAt'>,
): Promise<readonly Instance[]> {
  const { table, now } = services;
  const { ended, unreadable } = await compileRun(services, { ...scope, runId, createdAt });
  const start = getLeaf(createdAt);
  const rows = await table.queryAll(pendingRuns, getPendingRunsSpan(scope, start, start), { consistent: true });
  const isUrgent = rows.some((row) => row.corrects) || rows.length >= ANALYTICS_LIMITS.pendingRuns;
  const dueAt = isUrgent
    ? getNextMultiple(now(), ANALYTICS_LIMITS.mergeEveryMilliseconds)
    : Math.max(
        (start + 1) * MODEL_LIMITS.leafMilliseconds,
        getNextMultiple(now(), ANALYTICS_LIMITS.mergeAfterEndMilliseconds),
      );
  // Results of a cancelled or timed-out run may still arrive.
  const pauses = ended && ended.completionState !== 'COMPLETE' ? ANALYTICS_LIMITS.recheckMilliseconds : [];
  await table.writeMany([
    put(dueAnalytics, { ...scope, dueAt, work: { kind: 'merge', level: 0, start } }),
    ...pauses.map((pause, index) =>
      put(dueAnalytics, { ...scope, dueAt: now() + pause, work: { kind: 'recheck', runId, check: index + 1 } }),
    ),
  ]);
  return unreadable;
}

/** Results of the run that arrived late without marking it are then counted, too. */
async function markForRecheck(
  { table, now }: CoreServices,
  organizationId: string,
  { runId, check }: { readonly runId: string; readonly check: number },
): Promise<void> {
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (run?.endedAt) await table.writeMany(markCorrected(run, now(), check));
}

/** Semaphore: limits concurrent jobs, because each holds a whole run or span in memory. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async pass<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

// Merges pending runs into the summaries of their leaf span, and summaries of child spans into those of larger spans.
// Safe to repeat and to call concurrently.

const CONTENT_CHARACTERS = 16;

async function mergeLeaf(services: CoreServices, scope: AnalyticsScope, leaf: number): Promise<void> {
  const { table, now } = services;
  const rows = await table.queryAll(pendingRuns, getPendingRunsSpan(scope, leaf, leaf), { consistent: true });
  const changes = pickNewestChanges(rows);
  if (changes.length === 0) return;
  const projectSpan = { ...scope, level: 0, start: leaf };
  const before = await table.get(spanRoots, projectSpan, { consistent: true });
  const entries = await readEntries(services, before);
  // If the facts of some runs have expired, the summaries of the leaf span cannot be built from scratch, so its totals
  // stay as they are. The new version of the root tells exports that a run of the leaf was changed or deleted.
  const isSealed = entries.some(({ endsAt }) => endsAt !== undefined && endsAt * 1000 <= now());
  if (isSealed && before) {
    const root = { ...before, version: before.version + 1 };
    if (!(await table.transact([put(spanRoots, root, expectUnchangedRoot(before))]))) return;
  }
  if (!isSealed && !(await writeLeaf(services, scope, { of: projectSpan, before }, applyChanges(entries, changes))))
    return;
  await table.writeMany(listMergedRows(rows, changes).map((row) => remove(pendingRuns, row)));
}

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
async function mergeLevel(services: CoreServices, scope: AnalyticsScope, span: SpanOfTime): Promise<void> {
  const { table, now } = services;
  const first = span.start * countLeaves(span.level);
  const all = getRootsSpan(scope, first, first + countLeaves(span.level) - 1);
  const tree = new SpanTree(await table.queryAll(spanRoots, all, { consistent: true }));
  if (tree.contentOf(span) !== undefined) return;
  const contents = listChildSpans(span).map((child) => tree.contentOf(child));
  if (contents.includes(undefined)) return;
  const roots = listChildSpans(span).flatMap((child) =>
    tree.contentOf(child) === NOTHING ? [] : (tree.rootOf(child) ?? []),
  );
  const indexes = await readIndexes(services, roots);
  const children = roots.flatMap((root, place): ChildSpan[] => {
    const index = indexes[place];
    return index ? [{ root, index }] : [];
  });
  // If some facts have expired, the summaries of this span would be incomplete. Readers then use the summaries of its
  // children instead.
  const hasExpiredFacts = children.some(({ index }) =>
    index.entries.some(({ endsAt = Infinity }) => endsAt * 1000 <= now()),
  );
  if (hasExpiredFacts) return;
  const builtSpan = await buildLevel(services, scope, children);
  const content = computeChildrenContent(contents.flatMap((one) => one ?? []));
  const projectSpan = { ...scope, level: span.level, start: span.start };
  await writeSpan(services, { of: projectSpan, before: tree.rootOf(span), content, built: builtSpan });
}

// Writes the summaries of a span under a new generation, and then the root row, which names the generation. A
// generation that no root row names is never read, so an interrupted call changes nothing, and the rows that it wrote
// are removed later.

export const GENERATION_CHARACTERS = 12;

interface SpanUpdate {
  readonly of: SpanOfProject;
  readonly before: SpanRoot | undefined;
  readonly content: string;
  readonly built: BuiltSpan;
}

/** Returns false if another call wrote the span in the meantime. */
async function writeSpan(services: CoreServices, update: SpanUpdate): Promise<boolean> {
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
  const previousRemoval =
    before && makeGarbageRemoval(of, before.generation, now() + ANALYTICS_LIMITS.supersededMilliseconds);
  return table.transact([
    put(spanRoots, root, before ? expectUnchangedRoot(before) : ABSENT),
    remove(dueAnalytics, ownRemoval),
    ...(previousRemoval ? [put(dueAnalytics, previousRemoval)] : []),
    ...planParentMerge(of, now()),
  ]);
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
async function removeGarbage(
  { table }: WithTable,
  spanGeneration: SpanOfProject & { readonly generation: string },
): Promise<void> {
  const root = await table.get(spanRoots, spanGeneration, { consistent: true });
  if (root?.generation === spanGeneration.generation) return;
  const parts = await table.queryAll(summaryParts, getGenerationSpan(spanGeneration), { consistent: true });
  await table.writeMany(parts.map((part) => remove(summaryParts, part)));
}
