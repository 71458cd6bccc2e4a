/**
 * Compares the read model with the runs of a project, and repairs it: a differing run is marked as changed, so that it
 * is compiled and merged like any corrected run.
 */
import type { Put } from '#shared/engine/table/writes.ts';
import { leafOf, markCorrected, markGone } from '#shared/model/analytics/pending.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { runs, runsOfProject, runsSpan } from '#shared/model/runs/run.ts';
import type { CoreServices } from '#shared/services.ts';
import { KnownRuns } from './known-runs.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { AnalyticsScope } from './read-model.ts';

/** Check number that only repairs use, so that a repair never overwrites the row of a check for late results. */
const REPAIR = 9;

export interface Audited {
  readonly runs: number;
  readonly differing: number;
  /** Spec files of the compared runs whose stored results are damaged. */
  readonly incomplete: number;
  /** Start times of the leaves with differing runs, in epoch milliseconds. */
  readonly leaves: readonly number[];
}

interface Audit {
  /** Audits only runs created since this time, in epoch milliseconds. */
  readonly from?: number;
  /** `check` only reports. `repair` compiles differing runs again, `rebuild` all runs. */
  readonly mode: 'check' | 'repair' | 'rebuild';
  /** Continues where an interrupted rebuild stopped. */
  readonly after?: string | undefined;
  readonly onPage?: (soFar: Audited, position: string) => Promise<void>;
}

export async function auditRuns(services: CoreServices, scope: AnalyticsScope, audit: Audit): Promise<Audited> {
  const { table, now } = services;
  const known = new KnownRuns(services, scope);
  const found = { runs: 0, differing: 0, incomplete: 0, leaves: new Set<number>() };
  const note = async (createdAt: number, repairs: readonly Put[]) => {
    found.differing += 1;
    found.leaves.add(leafOf(createdAt));
    if (audit.mode !== 'check') await table.writeMany(repairs);
  };
  const report = (): Audited => ({ ...found, leaves: [...found.leaves].map(beginningOf) });
  for await (const { page, position } of pagesOf(services, scope, audit)) {
    for (const run of page) {
      if (!run.endedAt) continue;
      found.runs += 1;
      const compared = audit.mode === 'rebuild' ? TO_COMPILE : await known.compare(run);
      found.incomplete += compared.incomplete;
      if (!compared.isCurrent) await note(run.createdAt, markCorrected(run, now(), REPAIR));
    }
    if (position !== undefined) await audit.onPage?.(report(), position);
  }
  for (const lost of await known.withoutRuns(audit.from ?? 0)) await note(lost.createdAt, markGone(lost, now()));
  return report();
}

const TO_COMPILE = { isCurrent: false, incomplete: 0 };

async function* pagesOf({ table }: CoreServices, scope: AnalyticsScope, { from, after: first }: Audit) {
  let after = first;
  do {
    const options = { limit: ANALYTICS_LIMITS.runsPerPage, ...(after === undefined ? {} : { after }) };
    const { rows, lastRead } = await table.query(runsOfProject, runsSpan(scope, from), options);
    const keys = rows.map(({ item }) => item);
    const page = (await table.getMany(runs, keys, { consistent: true })).flatMap((run) => run ?? []);
    yield { page, position: lastRead };
    after = lastRead;
  } while (after !== undefined);
}

const beginningOf = (leaf: number): number => leaf * MODEL_LIMITS.leafMilliseconds;
