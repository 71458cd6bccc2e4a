import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { CORPUS } from '#test/reports/corpus.ts';
import { sampleFile } from '#test/reports/sources.ts';
import { imported } from './reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

/** The number of tests that the report claims to have, by outcome. */
const expectedOf = (outcomes: Readonly<Record<string, number>>) => ({
  passes: outcomes['passed'] ?? 0,
  failures: outcomes['failed'] ?? 0,
  pending: outcomes['pending'] ?? 0,
  skipped: outcomes['skipped'] ?? 0,
});

/** In `npm test`, a third of the reports of each format. The tests of the parsers read all reports. */
const SAMPLE = [...Map.groupBy(CORPUS, ({ format }) => format).values()].flatMap((own) => sampled(own, 3));

let shared: ReturnType<typeof service> | undefined;
/** The organization into which the tests import the reports, each as a run of its own. */
const organization = () => (shared ??= service());

describe('An imported report of a tool', () => {
  test.each(SAMPLE)(
    '$report creates a run with as many tests of each outcome as the report has',
    async ({ report, outcomes, tests }) => {
      const tenant = await organization();
      const bytes = Uint8Array.from(await sampleFile(report));
      const { runId, files } = await imported(tenant, bytes, `ciBuildId=${report}&root=/project&name=${report}`);
      const expected = { overall: tests.length, ...expectedOf(outcomes) };
      expect(files).toMatchObject([{ tests: expected }]);
      const { groups } = await read(tenant.api, `/runs/${runId}`);
      const sum = (name: string) =>
        groups.reduce((total: number, group: { tests: Record<string, number> }) => total + (group.tests[name] ?? 0), 0);
      const recorded = Object.fromEntries(Object.keys(expected).map((name) => [name, sum(name)]));
      expect(recorded).toEqual(expected);
    },
  );
});
