/** The own formats of tools, through the service. The parsers are tested in `test/reports`. */
import { describe, expect, test, vi } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { FORMAT_SAMPLES, formatSample } from '#test/reports/formats.ts';
import { imported } from './reports.ts';

const samplesOfFormats = [...Map.groupBy(FORMAT_SAMPLES, ({ format }) => format).values()].map((samples) =>
  samples.filter(({ tests }) => tests.length > 0),
);
/** In `npm test`, a quarter of the formats. */
const pairs = sampled(samplesOfFormats, 4).flatMap(([one, other = one]) => (one && other ? { one, other } : []));

let shared: ReturnType<typeof service> | undefined;
/** The organization into which the tests import the samples, each as a run of its own. */
const organization = () => (shared ??= service());

async function countTests(runId: string): Promise<string> {
  const { api } = await organization();
  const { groups } = await read(api, `/runs/${runId}`);
  const count = (name: string) =>
    groups.reduce((sum: number, { tests }: { tests: Record<string, number> }) => sum + (tests[name] ?? 0), 0);
  return ['passes', 'failures', 'pending', 'skipped'].map((name) => `${count(name)} ${name}`).join(', ');
}

const send = async (report: string, query: string) => {
  const bytes = Uint8Array.from(await formatSample(report));
  return imported(await organization(), bytes, `root=/project&name=${report}&${query}`);
};

type Outcomes = readonly { readonly tests: readonly { readonly outcome: string }[] }[];

const countExpected = (files: Outcomes): string => {
  const count = (outcome: string) =>
    files.flatMap(({ tests }) => tests).filter((one) => one.outcome === outcome).length;
  return `${count('passed')} passes, ${count('failed')} failures, ${count('pending')} pending, ${count('skipped')} skipped`;
};

describe('A report in the own format of a tool', () => {
  test.each(pairs)(
    'counts once if its machine sends it twice, and the report of another machine is added to it: $one.format',
    async ({ one, other }) => {
      // The object store checks presigned URLs against the real time.
      vi.useRealTimers();
      const build = `ciBuildId=${one.report}`;
      const { runId } = await send(one.report, `${build}&machineId=m1`);
      const [first, again] = [await countTests(runId), await send(one.report, `${build}&machineId=m1&tags[]=again`)];
      expect(again.runId).toBe(runId);
      expect([first, await countTests(runId)]).toEqual([countExpected([one]), countExpected([one])]);
      await send(other.report, `${build}&machineId=m2`);
      expect(await countTests(runId)).toBe(countExpected([one, other]));
    },
  );
});
