/**
 * Compares the analytics aggregates with the runs of a project. Unless the audit only checks, a run whose aggregates
 * differ is marked as changed, so that they are computed and merged again.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { Put } from '#shared/engine/table/writes.ts';
import { getLeaf, getPendingRunsSpan, markCorrected, markGone, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { CoreServices } from '#shared/services.ts';
import { compileFacts, readWholeRun } from './compile-run.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { newestOfRuns, withNewest } from './pending-entries.ts';
import type { AnalyticsScope } from './read-model.ts';
import { entriesOf } from './span-index.ts';

/**
 * The value of `check` in the rows that a repair writes. Checks for late results write other values, so a repair never
 * overwrites the rows of such a check.
 */
const REPAIR = 9;

export interface Audited {
  readonly runs: number;
  /** Number of runs whose stored aggregates are wrong. In a rebuild, all runs count as such. */
  readonly differing: number;
  /** Number of spec files whose stored results are damaged, in all compared runs. */
  readonly incomplete: number;
  /**
   * Start times of the six-hour spans ("leaves") that contain the runs counted in `differing`, in epoch milliseconds.
   */
  readonly leaves: readonly number[];
}

interface Audit {
  /** Audits only runs created since this time, in epoch milliseconds. */
  readonly from?: number;
  /**
   * `check` only reports runs whose stored aggregates are wrong. `repair` also marks these runs, so that their
   * aggregates are computed again. `rebuild` marks all ended runs.
   */
  readonly mode: 'check' | 'repair' | 'rebuild';
  /** Where an interrupted rebuild stopped. The audit starts after this position. */
  readonly after?: string | undefined;
  readonly onPage?: (soFar: Audited, position: string) => Promise<void>;
}

export async function auditRuns(services: CoreServices, scope: AnalyticsScope, audit: Audit): Promise<Audited> {
  const { table, now } = services;
  const knownIn = leafReader(services, scope);
  const found = { runs: 0, differing: 0, incomplete: 0, leaves: new Set<number>() };
  const note = async (createdAt: number, repairs: readonly Put[]) => {
    found.differing += 1;
    found.leaves.add(getLeaf(createdAt));
    if (audit.mode !== 'check') await table.writeMany(repairs);
  };
  const report = (): Audited => ({
    ...found,
    leaves: [...found.leaves].map((leaf) => leaf * MODEL_LIMITS.leafMilliseconds),
  });
  for await (const { page, position } of pagesOf(services, scope, audit)) {
    for (const run of page) {
      if (!run?.endedAt) continue;
      found.runs += 1;
      const compared = audit.mode === 'rebuild' ? TO_COMPILE : await compare(services, run, knownIn);
      found.incomplete += compared.incomplete;
      if (!compared.isCurrent) await note(run.createdAt, markCorrected(run, now(), REPAIR));
    }
    if (position !== undefined) await audit.onPage?.(report(), position);
  }
  for (const lost of await lostRuns(services, scope, audit.from ?? 0))
    await note(lost.createdAt, markGone(lost, now()));
  return report();
}

const TO_COMPILE = { isCurrent: false, incomplete: 0 };

async function* pagesOf({ table }: CoreServices, scope: AnalyticsScope, { from, after: first }: Audit) {
  let after = first;
  do {
    const options = { limit: ANALYTICS_LIMITS.runsPerPage, after };
    const { rows, lastRead } = await table.query(runsOfProject, getRunsSpan(scope, from), options);
    const keys = rows.map(({ item }) => item);
    const page = await table.getMany(runs, keys, { consistent: true });
    yield { page, position: lastRead };
    after = lastRead;
  } while (after !== undefined);
}

/**
 * Computes the aggregates ("facts") of the run again, and compares them with the stored ones. `incomplete`: the number
 * of spec files whose stored results are damaged.
 */
async function compare(
  services: CoreServices,
  run: Run,
  knownIn: (leaf: number) => Promise<readonly PendingEntry[]>,
): Promise<{ readonly isCurrent: boolean; readonly incomplete: number }> {
  const whole = await readWholeRun(services, run);
  if (!whole) return { isCurrent: true, incomplete: 0 };
  const { entries, unreadable } = await compileFacts(services, whole);
  const known = await knownIn(getLeaf(run.createdAt));
  const nameOf = ({ groupId, digest, status, completionState }: PendingEntry) =>
    JSON.stringify([groupId, digest, status, completionState]);
  const own = known.filter(({ runId }) => runId === run.runId).map(nameOf);
  const isCurrent = JSON.stringify(own.sort()) === JSON.stringify(entries.map(nameOf).sort());
  return { isCurrent, incomplete: unreadable.length };
}

/**
 * Returns a function that reads the run groups of a six-hour span ("leaf") that are already included in analytics. It
 * remembers those of the latest leaf, because runs are audited in the order of their creation.
 */
function leafReader({ table }: WithTable, scope: AnalyticsScope) {
  const read = async (leaf: number): Promise<readonly PendingEntry[]> => {
    const rows = await table.queryAll(pendingRuns, getPendingRunsSpan(scope, leaf, leaf), { consistent: true });
    const root = await table.get(spanRoots, { ...scope, level: 0, start: leaf }, { consistent: true });
    return withNewest(await entriesOf({ table }, root), newestOfRuns(rows));
  };
  let current: { readonly leaf: number; readonly entries: ReturnType<typeof read> } | undefined;
  return (leaf: number) => {
    if (current?.leaf !== leaf) current = { leaf, entries: read(leaf) };
    return current.entries;
  };
}

/** Runs that are included in analytics but do not exist anymore, although their results have not expired. */
async function lostRuns({ table, now }: CoreServices, { organizationId, projectId }: AnalyticsScope, from: number) {
  const all = getRootsSpan({ organizationId, projectId }, 0, getLeaf(now()) + 1);
  const lost: Parameters<typeof markGone>[0][] = [];
  for (const root of await table.queryAll(spanRoots, all, { consistent: true })) {
    if (root.level > 0 || root.to < from) continue;
    const entries = await entriesOf({ table }, root);
    const expected = entries.filter(({ endsAt = Infinity }) => endsAt * 1000 > now());
    const ids = [...new Map(expected.map(({ runId, createdAt }) => [runId, createdAt]))];
    const keys = ids.map(([runId]) => ({ organizationId, runId }));
    const found = await table.getMany(runs, keys, { consistent: true });
    for (const [place, [runId, createdAt]] of ids.entries()) {
      if (found[place]?.createdAt !== createdAt) lost.push({ organizationId, projectId, runId, createdAt });
    }
  }
  return lost;
}
