import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REPORT_FORMATS, type ReportFormat } from '#shared/model/runs/report-format.ts';
import { Archive } from '#shared/reports/reading/archive.ts';
import { attack } from '#test/harness/attacks.ts';
import { cases } from '#test/harness/cases.ts';
import { CORPUS } from './corpus.ts';
import { FORMAT_SAMPLES, formatSample } from './formats.ts';
import { anyDamage } from './mutations.ts';
import { parseAll } from './samples.ts';
import { sampleFile, sourceOf } from './sources.ts';
import { checkReport, readOrRefuse } from './valid-report.ts';

const SLOWEST_MILLISECONDS = 5000;

/**
 * The samples of a format. Damage to a blob archive rarely affects the lines inside, so these lines are additional
 * samples.
 */
async function samplesOf(format: ReportFormat): Promise<Buffer[]> {
  const files = await Promise.all(
    CORPUS.filter((one) => one.format === format).map(({ report }) => sampleFile(report)),
  );
  return format === 'playwright-blob' ? [...files, ...(await Promise.all(files.map(linesOf)))] : files;
}

async function linesOf(blob: Buffer): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const opened = await Archive.open(sourceOf(blob), 'blob');
  for await (const part of opened.find('report.jsonl')?.open() ?? []) parts.push(part);
  return Buffer.concat(parts);
}

describe('A damaged file', () => {
  test.each(REPORT_FORMATS.filter((format) => CORPUS.some((one) => one.format === format)))(
    'A damaged file in the format %s is parsed within limits, or refused',
    async (format) => {
      const samples = await samplesOf(format);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...samples), anyDamage, fc.boolean(), async (sample, damage, isNamed) => {
          attack('damaged reports');
          const start = performance.now();
          const files = await readOrRefuse(() => parseAll(damage(sample), { format: isNamed ? format : undefined }));
          for (const file of files ?? []) checkReport(file);
          expect(performance.now() - start).toBeLessThan(SLOWEST_MILLISECONDS);
        }),
        { numRuns: cases(400, 80) },
      );
    },
  );

  test('A damaged file in the own format of a tool is parsed within limits, or refused', async () => {
    const samples = await Promise.all(
      FORMAT_SAMPLES.map(async ({ report, format }) => ({
        bytes: await formatSample(report),
        format: REPORT_FORMATS.find((one) => one === format),
      })),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), anyDamage, fc.boolean(), async (sample, damage, isNamed) => {
        attack('damaged reports');
        const start = performance.now();
        const format = isNamed ? sample.format : undefined;
        const files = await readOrRefuse(() => parseAll(damage(sample.bytes), { format }));
        for (const file of files ?? []) checkReport(file);
        expect(performance.now() - start).toBeLessThan(SLOWEST_MILLISECONDS);
      }),
      { numRuns: cases(4000, 80) },
    );
  });
});
