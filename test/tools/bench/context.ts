/** Measures the cost of the failure context for 200 failed tests among 5,000 and among 50,000. */

import type { BenchService, Cost } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { tripsOf } from './reading.ts';
import { upload } from './recording.ts';
import { suiteOf, withPassed } from './suite.ts';

const SPECS = 200;
const TESTS_PER_SPEC = 25;
const TIMES_PASSED = 9;

export async function measureContext(service: BenchService): Promise<Measurement[]> {
  const suite = suiteOf({ specs: SPECS, testsPerSpec: TESTS_PER_SPEC });
  const small = await firstPage(service, await upload(service, 'context', suite));
  const large = await firstPage(
    service,
    await upload(service, 'context, larger', withPassed(suite, SPECS * TIMES_PASSED)),
  );
  return [
    { name: 'contextUnits', measured: small.readUnits, note: tripsOf(small) },
    {
      name: 'contextGrowth',
      measured: large.readUnits - small.readUnits,
      note: `${large.readUnits} RRU with 50,000 tests`,
    },
  ];
}

async function firstPage(service: BenchService, runId: string): Promise<Cost> {
  const path = `/context?run_id=${runId}`;
  const { result, cost } = await service.counted(() => service.api.get(path));
  if (result.status !== 200 || result.body.data.list.length !== 10)
    throw new Error(`${path} did not return a page of 10 tests`);
  return cost;
}
