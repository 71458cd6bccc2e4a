/** Earliest start of the tests in epoch milliseconds, or `null` if no attempt has a start time. */
import type { ReportedInstance } from '#shared/ingest/reported.ts';

export function startOfInstances(instances: readonly ReportedInstance[]): number | null {
  let first: number | null = null;
  for (const { tests } of instances) {
    for (const { startedAt } of tests.flatMap(({ attempts }) => attempts)) {
      if (startedAt !== null && (first === null || startedAt < first)) first = startedAt;
    }
  }
  return first;
}
