/** What it costs to read why a run failed: 200 failed tests among 5,000, and among 50,000. */
import type { Measurement } from './budgets.ts';
import { tripsOf } from './reading.ts';
import { upload } from './recording.ts';
import type { Cost, Stand } from './stand.ts';
import { suiteOf, withPassed } from './suite.ts';

const SPECS = 200;
const TESTS_PER_SPEC = 25;
const TIMES_PASSED = 9;

export async function measureContext(stand: Stand): Promise<Measurement[]> {
  const suite = suiteOf({ specs: SPECS, testsPerSpec: TESTS_PER_SPEC });
  const small = await pageZero(stand, await upload(stand, 'context', suite));
  const large = await pageZero(stand, await upload(stand, 'context, larger', withPassed(suite, SPECS * TIMES_PASSED)));
  return [
    { name: 'contextUnits', measured: small.readUnits, note: tripsOf(small) },
    {
      name: 'contextGrowth',
      measured: large.readUnits - small.readUnits,
      note: `${large.readUnits} RRU with 50,000 tests`,
    },
  ];
}

async function pageZero(stand: Stand, runId: string): Promise<Cost> {
  const path = `/context?run_id=${runId}`;
  const { result, cost } = await stand.counted(() => stand.api.get(path));
  if (result.status !== 200 || result.body.data.list.length !== 10) throw new Error(`${path} has no page of 10`);
  return cost;
}
