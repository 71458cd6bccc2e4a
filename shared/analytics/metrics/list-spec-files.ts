/** §4.4.5 Builds the rows of the list of spec files: filtered and sorted. */
import { deriveSpecSignature } from '#shared/model/ids.ts';
import { contains } from '#shared/results/contains.ts';
import type { AnalyticsScope, SpecTotals } from '../read-model.ts';
import { sortRows } from './order.ts';
import type { SpecFileRow, SpecFilesQuery } from './spec-files-wire.ts';
import { divideOrZero } from './test-metrics.ts';

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
      metrics: toSpecFileMetrics(totals, includeFailedInDuration),
    }));
  return sortRows(rows, { by: ({ metrics }) => metrics[order], direction: dir, thenBy: [({ spec }) => spec] });
}

const toSpecFileMetrics = (totals: SpecTotals, withFailed: boolean): SpecFileRow['metrics'] => ({
  overallExecutions: totals.executions,
  avgDuration: Math.round(
    withFailed
      ? divideOrZero(totals.milliseconds, totals.timed)
      : divideOrZero(totals.millisecondsWithoutFailed, totals.timedWithoutFailed),
  ),
  failedExecutions: totals.failed,
  flakyExecutions: totals.flaky,
  timeoutExecutions: totals.timedOut,
  suiteSize: totals.suiteSize,
  fullyReported: totals.fullyReported,
  failureRate: divideOrZero(totals.failed, totals.executions),
  timeoutRate: divideOrZero(totals.timedOut, totals.executions),
  flakeRate: divideOrZero(totals.flaky, totals.executions),
});
