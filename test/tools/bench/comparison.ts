/** Measures the comparison of two runs of 5,000 tests with 200 failures each, 180 of which are in both runs. */
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { tripsOf } from './reading.ts';
import { upload } from './recording.ts';
import { type SuiteSpec, suiteOf } from './suite.ts';

const SPECS = 200;
const TESTS_PER_SPEC = 25;
/** In one of this many spec files, a different test fails in the base run. */
const OTHER_ONE_IN = 10;
const EXPECTED = { new: 20, still_failing: 180, flaky: 100, fixed: 20, not_run: 0 };

export async function measureComparison(service: BenchService): Promise<Measurement[]> {
  const suite = suiteOf({ specs: SPECS, testsPerSpec: TESTS_PER_SPEC });
  await upload(
    service,
    'base',
    suite.map((file, index) => (index % OTHER_ONE_IN === 0 ? withOtherFailure(file) : file)),
  );
  const path = `/runs/${await upload(service, 'compared', suite)}/comparison`;
  const { result, cost } = await service.counted(() => service.api.get(path));
  const sections: readonly { verdict: string; total: number }[] = result.body.data?.sections ?? [];
  const totals = Object.fromEntries(sections.map(({ verdict, total }) => [verdict, total]));
  if (JSON.stringify(totals) !== JSON.stringify(EXPECTED))
    throw new Error(`${path} has the totals ${JSON.stringify(totals)}, expected ${JSON.stringify(EXPECTED)}`);
  return [{ name: 'comparisonUnits', measured: cost.readUnits, note: tripsOf(cost) }];
}

/** Makes the first passed test of the file fail, and the failed test pass. */
function withOtherFailure({ spec, tests }: SuiteSpec): SuiteSpec {
  const other = tests.find(({ outcome }) => outcome === 'passed');
  return {
    spec,
    tests: tests.map((test) => {
      if (test === other) return { ...test, outcome: 'failed' };
      return test.outcome === 'failed' ? { ...test, outcome: 'passed' } : test;
    }),
  };
}
