/** Describes a run in a few words. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { getRunMembersSpan, type Run } from '#shared/model/runs/run.ts';
import { countKnownTests, instances } from '#shared/model/tests/instance.ts';
import { type Counters, sumCounters } from '#shared/model/tests/outcomes.ts';

/** The tests of a run, each counted under its final outcome, and the expected tests that never reported one. */
export interface RunCounts extends Counters {
  readonly missing: number;
}

/**
 * Counts the tests of a run. If the run has no stored totals, for example because its tests may still report after a
 * cancellation, the counters of the instances are added up.
 */
export async function readCounts({ table }: WithTable, run: Run): Promise<RunCounts> {
  if (run.groups) return countsOf(run.groups.map(({ tests }) => ({ counters: tests, expected: tests.tests })));
  const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
  return countsOf(all.map((instance) => ({ counters: instance.counters, expected: countKnownTests(instance) })));
}

const countsOf = (parts: readonly { readonly counters: Counters; readonly expected: number }[]): RunCounts => ({
  ...sumCounters(parts.map(({ counters }) => counters)),
  missing: parts.reduce((all, { counters, expected }) => all + Math.max(0, expected - counters.overall), 0),
});

export const isFailedRun = ({ status }: Run): boolean => status === 'FAILED' || status === 'FAILING';

/**
 * Describes the result of a run, such as `3 failed, 1 flaky of 120`. If the run ended early, the text begins with the
 * reason.
 */
export function runText(
  { completionState, status }: Pick<Run, 'completionState' | 'status'>,
  { missing = 0, ...counters }: Counters & Partial<RunCounts>,
): string {
  const parts = PARTS.flatMap(([name, word]) => (counters[name] > 0 ? [`${counters[name]} ${word}`] : []));
  const counted = parts.length > 0 ? `${parts.join(', ')} of ${counters.overall}` : passed(counters);
  const early = EARLY[completionState];
  const hasBadTests = counters.failures + counters.skipped > 0;
  // Nobody should read only how many tests passed beside a red cross.
  if (early === undefined && status === 'FAILED' && !hasBadTests && counters.overall > 0)
    return `failed outside its tests, ${counted}`;
  if (early === undefined) return counted;
  const lost =
    completionState === 'TIMEOUT' && missing > 0 ? `${missing} of ${counters.overall + missing} missing, ` : '';
  return `${early}: ${lost}${counted}`;
}

const PARTS = [
  ['failures', 'failed'],
  ['skipped', 'skipped after failures'],
  ['flaky', 'flaky'],
] as const;

const passed = ({ overall, passes }: Counters): string =>
  overall === 0 ? 'no test reported' : `${passes} passed of ${overall}`;

const EARLY: Readonly<Record<string, string>> = { CANCELED: 'Cancelled', TIMEOUT: 'Timed out' };
