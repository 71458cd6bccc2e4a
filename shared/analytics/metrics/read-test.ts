/** Reads the metrics of one test, and how they changed since the preceding period. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { type AnalyticsScope, NO_FILTER, type Period } from '../read-model.ts';
import { readSeries } from '../read-series.ts';
import { listTests } from './list-tests.ts';
import { getPrecedingPeriod } from './range-wire.ts';
import { DEFAULT_OPTIONS, type TestSummary } from './tests-wire.ts';

/** Returns `undefined` if the period has no ended run with this test. */
export async function readTest(
  services: WithTable,
  { signature, period, ...scope }: AnalyticsScope & { readonly signature: string; readonly period: Period },
): Promise<TestSummary | undefined> {
  const read = async (during: Period) => {
    const series = await readSeries(services, scope, during, NO_FILTER);
    return series.filter((one) => one.signature === signature);
  };
  const [now, before] = await Promise.all([read(period), read(getPrecedingPeriod(period))]);
  return listTests(now, before, DEFAULT_OPTIONS)[0];
}
