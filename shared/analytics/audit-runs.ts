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
import { compileFacts } from './compile-run.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { applyChanges, pickNewestChanges } from './pending-entries.ts';
import type { AnalyticsScope } from './read-model.ts';
import { readEntries } from './span-index.ts';
import { readWholeRun } from './whole-run.ts';

/** The value of `check` in rows of repairs. Checks for late results have others, so that no row is overwritten. */
const REPAIR = 9;

export interface AuditResult {
  readonly runs: number;
  /** Number of runs whose stored aggregates are wrong. In a rebuild, all runs count as such. */
  readonly differing: number;
  /** Number of spec files whose stored results are damaged, in all compared runs. */
  readonly incomplete: number;
  /** Start times of the six-hour spans ("leaves") of the runs in `differing`, in epoch milliseconds. */
  readonly leaves: readonly number[];
}

interface Audit {
  /** Audits only runs created since this time, in epoch milliseconds. */
  readonly from?: number;
  /** `check` only reports runs with wrong aggregates, `repair` marks them to be computed again, `rebuild` marks all. */
  readonly mode: 'check' | 'repair' | 'rebuild';
  /** Where an interrupted rebuild stopped. The audit starts after this position. */
  readonly after?: string | undefined;
  readonly onPage?: (soFar: AuditResult, position: string) => Promise<void>;
}

export async function auditRuns(services: CoreServices, scope: AnalyticsScope, audit: Audit): Promise<AuditResult> {
  const { table, now } = services;
  const readLeaf = makeLeafReader(services, scope);
  const findings = { runs: 0, differing: 0, incomplete: 0, leaves: new Set<number>() };
  const note = async (createdAt: number, repairs: readonly Put[]) => {
    findings.differing += 1;
    findings.leaves.add(getLeaf(createdAt));
    if (audit.mode !== 'check') await table.writeMany(repairs);
  };
  const report = (): AuditResult => ({
    ...findings,
    leaves: [...findings.leaves].map((leaf) => leaf * MODEL_LIMITS.leafMilliseconds),
  });
  for await (const { page, position } of readRunPages(services, scope, audit)) {
    for (const run of page) {
      if (!run?.endedAt) continue;
      findings.runs += 1;
      const comparison = audit.mode === 'rebuild' ? TO_COMPILE : await compareFacts(services, run, readLeaf);
      findings.incomplete += comparison.incomplete;
      if (!comparison.isCurrent) await note(run.createdAt, markCorrected(run, now(), REPAIR));
    }
    if (position !== undefined) await audit.onPage?.(report(), position);
  }
  for (const lostRun of await findLostRuns(services, scope, audit.from ?? 0))
    await note(lostRun.createdAt, markGone(lostRun, now()));
  return report();
}

const TO_COMPILE = { isCurrent: false, incomplete: 0 };

async function* readRunPages({ table }: CoreServices, scope: AnalyticsScope, { from, after: first }: Audit) {
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

/** `incomplete`: the number of spec files whose stored results are damaged. */
async function compareFacts(
  services: CoreServices,
  run: Run,
  readLeaf: (leaf: number) => Promise<readonly PendingEntry[]>,
): Promise<{ readonly isCurrent: boolean; readonly incomplete: number }> {
  const wholeRun = await readWholeRun(services, run);
  if (!wholeRun) return { isCurrent: true, incomplete: 0 };
  const { entries, unreadable } = await compileFacts(services, wholeRun);
  const storedEntries = await readLeaf(getLeaf(run.createdAt));
  const toKey = ({ groupId, digest, status, completionState }: PendingEntry) =>
    JSON.stringify([groupId, digest, status, completionState]);
  const storedKeys = storedEntries.filter(({ runId }) => runId === run.runId).map(toKey);
  const isCurrent = JSON.stringify(storedKeys.sort()) === JSON.stringify(entries.map(toKey).sort());
  return { isCurrent, incomplete: unreadable.length };
}

/** Remembers the entries of the latest leaf, because runs are audited in the order of their creation. */
function makeLeafReader({ table }: WithTable, scope: AnalyticsScope) {
  const read = async (leaf: number): Promise<readonly PendingEntry[]> => {
    const rows = await table.queryAll(pendingRuns, getPendingRunsSpan(scope, leaf, leaf), { consistent: true });
    const root = await table.get(spanRoots, { ...scope, level: 0, start: leaf }, { consistent: true });
    return applyChanges(await readEntries({ table }, root), pickNewestChanges(rows));
  };
  let cachedLeaf: { readonly leaf: number; readonly entries: ReturnType<typeof read> } | undefined;
  return (leaf: number) => {
    if (cachedLeaf?.leaf !== leaf) cachedLeaf = { leaf, entries: read(leaf) };
    return cachedLeaf.entries;
  };
}

/** Runs that are included in analytics but do not exist anymore, although their results have not expired. */
async function findLostRuns({ table, now }: CoreServices, { organizationId, projectId }: AnalyticsScope, from: number) {
  const all = getRootsSpan({ organizationId, projectId }, 0, getLeaf(now()) + 1);
  const lostRuns: Parameters<typeof markGone>[0][] = [];
  for (const root of await table.queryAll(spanRoots, all, { consistent: true })) {
    if (root.level > 0 || root.to < from) continue;
    const entries = await readEntries({ table }, root);
    const unexpiredEntries = entries.filter(({ endsAt = Infinity }) => endsAt * 1000 > now());
    const ids = [...new Map(unexpiredEntries.map(({ runId, createdAt }) => [runId, createdAt]))];
    const keys = ids.map(([runId]) => ({ organizationId, runId }));
    const storedRuns = await table.getMany(runs, keys, { consistent: true });
    for (const [place, [runId, createdAt]] of ids.entries()) {
      if (storedRuns[place]?.createdAt !== createdAt) lostRuns.push({ organizationId, projectId, runId, createdAt });
    }
  }
  return lostRuns;
}
