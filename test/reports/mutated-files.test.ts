import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, spec, title } from '#shared/model/names.ts';
import { REPORT_FORMATS, type ReportFormat } from '#shared/model/runs/report-format.ts';
import { Archive } from '#shared/reports/reading/archive.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { attack } from '#test/harness/attacks.ts';
import { cases } from '#test/harness/cases.ts';
import { CORPUS } from './corpus.ts';
import { FORMAT_SAMPLES, formatSample } from './formats.ts';
import { anyDamage } from './mutations.ts';
import { parseAll } from './samples.ts';
import { sampleFile, sourceOf } from './sources.ts';

const REFUSALS = [400, 413];
const SLOWEST_MILLISECONDS = 5000;

const Text = z.string().refine((text) => text.isWellFormed());
const Duration = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);
const Outcome = z.enum(['passed', 'failed', 'pending', 'skipped']);
const AttemptShape = z.object({
  state: Outcome,
  rawStatus: Text,
  duration: Duration,
  startedAt: z.number().nullable(),
  errors: z.array(z.object({ message: Text.min(1), stack: Text.nullable() })),
});
/** The shape of the instances that recording accepts. */
const InstanceShape = z.object({
  groupId: id,
  spec,
  tests: z.array(
    z.object({
      testId: id,
      title,
      outcome: Outcome,
      attempts: z.array(AttemptShape).min(1).max(MODEL_LIMITS.attemptsPerTest),
    }),
  ),
});

function check({ instances }: ParsedFile): void {
  for (const instance of instances) {
    const { tests } = InstanceShape.parse(instance);
    expect(new Set(tests.map(({ testId }) => testId)).size).toBe(tests.length);
  }
  const names = instances.map(({ groupId, spec: path }) => JSON.stringify([groupId, path]));
  expect(new Set(names).size).toBe(names.length);
}

/** Parses the file. If it is refused, checks the status of the refusal, and returns no reports. */
async function parsedOrRefused(bytes: Buffer, format: ReportFormat | undefined): Promise<readonly ParsedFile[]> {
  try {
    return await parseAll(bytes, { format });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(REFUSALS).toContain(error.statusCode);
    return [];
  }
}

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
          for (const file of await parsedOrRefused(damage(sample), isNamed ? format : undefined)) check(file);
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
        for (const file of await parsedOrRefused(damage(sample.bytes), format)) check(file);
        expect(performance.now() - start).toBeLessThan(SLOWEST_MILLISECONDS);
      }),
      { numRuns: cases(4000, 80) },
    );
  });
});
