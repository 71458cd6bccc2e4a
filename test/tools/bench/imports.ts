/** Measures the cost of an import: a JUnit file of 500 tests, which one request records. */
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { suiteOf } from './suite.ts';

const TESTS = 500;
const TESTS_PER_SPEC = 25;

const SUITE = suiteOf({ specs: TESTS / TESTS_PER_SPEC, testsPerSpec: TESTS_PER_SPEC });

const FAILURE = '<failure message="expected 2, received 3">at checkout/cart.test.ts:31:7</failure>';

/** JUnit XML knows no flaky tests. */
const junit = (): string =>
  `<testsuites>${SUITE.flatMap(({ spec, tests }) =>
    tests.map(
      ({ title, outcome }) =>
        `<testcase file="${spec}" name="${title.join(' ')}" time="0.2">${outcome === 'failed' ? FAILURE : ''}</testcase>`,
    ),
  ).join('\n')}</testsuites>`;

export async function measureImports(service: BenchService): Promise<Measurement[]> {
  const path = `/projects/${service.projectId}/imports?ciBuildId=import&branch=main`;
  const { result, cost } = await service.counted(() => service.api.send('POST', path, junit()));
  if (result.status !== 200) throw new Error(`The import was answered with ${result.status}`);
  const { readUnits, writeUnits, trips } = cost;
  const note = `one request with ${TESTS} tests in ${SUITE.length} spec files`;
  return [
    { name: 'importUnits', measured: writeUnits / TESTS, note },
    { name: 'importReadUnits', measured: readUnits / TESTS, note },
    { name: 'importTrips', measured: trips / TESTS, note },
  ];
}
