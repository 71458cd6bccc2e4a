/** Describes a run in a few words. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { countKnownTests, instances } from '#shared/model/results/instance.ts';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import { getRunMembersSpan, type Run } from '#shared/model/runs/run.ts';

/** The tests of a run, each counted under its final outcome, and the expected tests that never reported one. */
export interface RunCounts extends Counters {
  readonly missing: number;
}

/** A run has no stored totals if, for example, its tests may still report after a cancellation. */
export async function readCounts({ table }: WithTable, run: Run): Promise<RunCounts> {
  if (run.groups) return sumCounts(run.groups.map(({ tests }) => ({ counters: tests, expected: tests.tests })));
  const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
  return sumCounts(all.map((instance) => ({ counters: instance.counters, expected: countKnownTests(instance) })));
}

const sumCounts = (parts: readonly { readonly counters: Counters; readonly expected: number }[]): RunCounts => ({
  ...sumCounters(parts.map(({ counters }) => counters)),
  missing: parts.reduce((all, { counters, expected }) => all + Math.max(0, expected - counters.overall), 0),
});

export const isFailedRun = ({ status }: Run): boolean => status === 'FAILED' || status === 'FAILING';

/** Such as `3 failed, 1 flaky of 120`. If the run ended early, the text begins with the reason. */
export function describeRun(
  { completionState, status }: Pick<Run, 'completionState' | 'status'>,
  { missing = 0, ...counters }: Counters & Partial<RunCounts>,
): string {
  const parts = PARTS.flatMap(([name, word]) => (counters[name] > 0 ? [`${counters[name]} ${word}`] : []));
  const summary = parts.length > 0 ? `${parts.join(', ')} of ${counters.overall}` : formatPassed(counters);
  const endReason = EARLY[completionState];
  const hasBadTests = counters.failures + counters.skipped > 0;
  // Nobody should read only how many tests passed beside a red cross.
  if (endReason === undefined && status === 'FAILED' && !hasBadTests && counters.overall > 0)
    return `failed outside its tests, ${summary}`;
  if (endReason === undefined) return summary;
  const missingText =
    completionState === 'TIMEOUT' && missing > 0 ? `${missing} of ${counters.overall + missing} missing, ` : '';
  return `${endReason}: ${missingText}${summary}`;
}

const PARTS = [
  ['failures', 'failed'],
  ['skipped', 'skipped after failures'],
  ['flaky', 'flaky'],
] as const;

const formatPassed = ({ overall, passes }: Counters): string =>
  overall === 0 ? 'no test reported' : `${passes} passed of ${overall}`;

const EARLY: Readonly<Record<string, string>> = { CANCELED: 'Cancelled', TIMEOUT: 'Timed out' };
