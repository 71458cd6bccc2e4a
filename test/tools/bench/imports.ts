/**
 * Measures imports of JUnit files: an import of 500 tests in one request, and an import of 100,000 tests by a queue
 * worker.
 */

import { OPERATOR } from '#shared/access/actor.ts';
import { REPORT_CAPS, recordReports } from '#shared/imports/record-report.ts';
import { requestLink } from '#shared/imports/request-link.ts';
import { getImportKey } from '#shared/model/runs/import.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { queueOf } from '#test/harness/queues.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { suiteOf } from './suite.ts';

const TESTS = 500;
const TESTS_PER_SPEC = 25;

const LARGE_TESTS_PER_SPEC = 100;
const LARGE_TESTS = 100_000;
const QUICK_TESTS = 10_000;
/**
 * The longest delay that a queue allows. The message waits, because the bench imports the report itself, without the
 * worker.
 */
const QUEUE_SECONDS = 900;

const FAILURE = '<failure message="expected 2, received 3">at checkout/cart.test.ts:31:7</failure>';

interface Size {
  readonly specs: number;
  readonly testsPerSpec: number;
}

/** Writes the suite as JUnit XML, in which flaky tests appear as passed tests. */
const junit = (size: Size): string =>
  `<testsuites>${suiteOf(size)
    .flatMap(({ spec, tests }) =>
      tests.map(
        ({ title, outcome }) =>
          `<testcase file="${spec}" name="${title.join(' ')}" time="0.2">${outcome === 'failed' ? FAILURE : ''}</testcase>`,
      ),
    )
    .join('\n')}</testsuites>`;

export async function measureImports(service: BenchService): Promise<Measurement[]> {
  const size = { specs: TESTS / TESTS_PER_SPEC, testsPerSpec: TESTS_PER_SPEC };
  const path = `/projects/${service.projectId}/imports?ciBuildId=import&branch=main`;
  const { result, cost } = await service.counted(() => service.api.send('POST', path, junit(size)));
  if (result.status !== 200) throw new Error(`The import was answered with ${result.status}`);
  const { readUnits, writeUnits, trips } = cost;
  const note = `one request with ${TESTS} tests in ${size.specs} spec files`;
  return [
    { name: 'importUnits', measured: writeUnits / TESTS, note },
    { name: 'importReadUnits', measured: readUnits / TESTS, note },
    { name: 'importTrips', measured: trips / TESTS, note },
  ];
}

export async function measureLargeImport(service: BenchService, isQuick: boolean): Promise<Measurement[]> {
  const tests = isQuick ? QUICK_TESTS : LARGE_TESTS;
  const { organizationId, projectId, environment } = service;
  const table = service.services.table.metered();
  const services = { ...service.services, table };
  await queueOf(environment, 'recordReport').delay(QUEUE_SECONDS);
  const report = junit({ specs: tests / LARGE_TESTS_PER_SPEC, testsPerSpec: LARGE_TESTS_PER_SPEC });
  const options = { ciBuildId: 'large', branch: 'main' };
  const { importId } = await requestLink(services, {
    organizationId,
    projectId,
    options,
    actor: OPERATOR,
    action: 'runs:write',
  });
  const key = getImportKey({ organizationId, importId });
  await services.artifacts.put(key, Buffer.from(report), 'text/xml');
  const start = performance.now();
  const message = { Records: [{ s3: { object: { key } } }], rounds: 0 };
  const notes = await recordReports(inFreeSlot(services, REPORT_CAPS), message);
  if (!notes.some((note) => 'tests' in note && note.tests === tests))
    throw new Error(`The worker did not record ${tests} tests: ${JSON.stringify(notes)}`);
  const seconds = (performance.now() - start) / 1000;
  const { readUnits, writeUnits, trips } = table.meter;
  const said = `${tests} tests, ${LARGE_TESTS_PER_SPEC} per spec file, ${(report.length / 1e6).toFixed(1)} MB, ${seconds.toFixed(0)} s, ${(readUnits / tests).toFixed(2)} RRU per test`;
  return [
    { name: 'largeImportUnits', measured: writeUnits / tests, note: said },
    { name: 'largeImportTrips', measured: trips / tests, note: said },
    { name: 'largeImportSeconds', measured: (seconds / tests) * LARGE_TESTS, note: said },
  ];
}
