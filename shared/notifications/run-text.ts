/** Describes a run in a few words. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { type Run, runMembersSpan } from '#shared/model/runs/run.ts';
import { instances } from '#shared/model/tests/instance.ts';
import { type Counters, sum } from '#shared/model/tests/outcomes.ts';

/**
 * Counts the tests of a run, each under its final outcome. If the run has no stored totals, for example because its
 * tests may still report after a cancellation, the counters of the instances are added up.
 */
export async function countersOf({ table }: WithTable, run: Run): Promise<Counters> {
  if (run.groups) return sum(run.groups.map(({ tests }) => tests));
  const all = await table.queryAll(instances, runMembersSpan(run, 'INSTANCE'), { consistent: true });
  return sum(all.map(({ counters }) => counters));
}

export const isFailedRun = ({ status }: Run): boolean => status === 'FAILED' || status === 'FAILING';

/**
 * Describes the result of a run, such as `3 failed, 1 flaky of 120`. If the run ended early, the text begins with the
 * reason.
 */
export function runText({ completionState, status }: Run, counters: Counters): string {
  const parts = PARTS.flatMap(([name, word]) => (counters[name] > 0 ? [`${counters[name]} ${word}`] : []));
  const counted = parts.length > 0 ? `${parts.join(', ')} of ${counters.overall}` : passed(counters);
  const early = EARLY[completionState];
  const hasBadTests = counters.failures + counters.skipped > 0;
  // Nobody should read only how many tests passed beside a red cross.
  if (early === undefined && status === 'FAILED' && !hasBadTests && counters.overall > 0)
    return `failed outside its tests, ${counted}`;
  return early === undefined ? counted : `${early}: ${counted}`;
}

const PARTS = [
  ['failures', 'failed'],
  ['skipped', 'skipped after failures'],
  ['flaky', 'flaky'],
] as const;

const passed = ({ overall, passes }: Counters): string =>
  overall === 0 ? 'no test reported' : `${passes} passed of ${overall}`;

const EARLY: Readonly<Record<string, string>> = { CANCELED: 'Cancelled', TIMEOUT: 'Timed out' };
