/** §4.4.5 Builds the rows of the list of spec files: filtered and sorted. */
import { deriveSpecSignature } from '#shared/model/ids.ts';
import { contains } from '#shared/results/contains.ts';
import type { AnalyticsScope, SpecTotals } from '../read-model.ts';
import { sorted } from './order.ts';
import type { SpecFileRow, SpecFilesQuery } from './spec-files-wire.ts';
import { ratio } from './test-metrics.ts';

export type SpecFilesOptions = Pick<SpecFilesQuery, 'includeFailedInDuration' | 'specNameFilter' | 'order' | 'dir'>;

export function listSpecFiles(
  scope: AnalyticsScope,
  specs: readonly SpecTotals[],
  { includeFailedInDuration, specNameFilter, order, dir }: SpecFilesOptions,
): SpecFileRow[] {
  const rows = specs
    .filter(({ specFile }) => specNameFilter === undefined || contains(specFile, specNameFilter))
    .map((totals) => ({
      signature: deriveSpecSignature({ ...scope, spec: totals.specFile }),
      spec: totals.specFile,
      metrics: metricsOf(totals, includeFailedInDuration),
    }));
  return sorted(rows, { by: ({ metrics }) => metrics[order], direction: dir, thenBy: [({ spec }) => spec] });
}

const metricsOf = (totals: SpecTotals, withFailed: boolean): SpecFileRow['metrics'] => ({
  overallExecutions: totals.executions,
  avgDuration: Math.round(
    withFailed
      ? ratio(totals.milliseconds, totals.timed)
      : ratio(totals.millisecondsWithoutFailed, totals.timedWithoutFailed),
  ),
  failedExecutions: totals.failed,
  flakyExecutions: totals.flaky,
  timeoutExecutions: totals.timedOut,
  suiteSize: totals.suiteSize,
  fullyReported: totals.fullyReported,
  failureRate: ratio(totals.failed, totals.executions),
  timeoutRate: ratio(totals.timedOut, totals.executions),
  flakeRate: ratio(totals.flaky, totals.executions),
});
