import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#shared/engine/errors.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { cases } from '#test/harness/cases.ts';
import { CORPUS } from './corpus.ts';
import { parseBytes, type Told, toldBy } from './samples.ts';
import { sampleFile } from './sources.ts';

const TEXTS = CORPUS.filter(({ report }) => !report.endsWith('.zip')).map(({ report }) => report);

const VARIANTS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'compressed with gzip': (bytes) => gzipSync(bytes),
  'with a byte order mark': (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
  'in UTF-16': (bytes) => Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le'),
  'with Windows line breaks': (bytes) => Buffer.from(bytes.toString().replaceAll('\n', '\r\n')),
  'after blank lines': (bytes) => Buffer.concat([Buffer.from('\n \n'), bytes]),
};

const known = new Map<string, Promise<readonly Told[]>>();
/** Returns the tests of a report. Parses each report only once. */
function toldIn(report: string): Promise<readonly Told[]> {
  const told = known.get(report) ?? sampleFile(report).then(parseBytes).then(toldBy);
  known.set(report, told);
  return told;
}

describe.each(Object.entries(VARIANTS))('A report %s', (_, variant) => {
  test('A modified report gives the same tests as the original report', async () => {
    for (const report of TEXTS) {
      const bytes = await sampleFile(report);
      expect(toldBy(await parseBytes(variant(bytes))), report).toEqual(await toldIn(report));
    }
  });
});

const keyOf = ({ group, spec, title }: Told): string => JSON.stringify([group, spec, title]);

/** Parses a truncated file. Returns `undefined` if it ends before its format can be recognized. */
async function parsedPart(bytes: Buffer): Promise<ParsedFile | undefined> {
  try {
    return await parseBytes(bytes);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

test('A truncated report gives only tests of the complete report, and at most the last one may wrongly count as passed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TEXTS), fc.double({ min: 0, max: 1, noNaN: true }), async (report, part) => {
      const bytes = await sampleFile(report);
      const file = await parsedPart(bytes.subarray(0, Math.floor(part * bytes.length)));
      if (!file) return;
      const whole = new Map((await toldIn(report)).map((told) => [keyOf(told), told.outcome]));
      const told = toldBy(file);
      expect(told.filter((one) => !whole.has(keyOf(one)))).toEqual([]);
      const passes = told.slice(0, -1).filter(({ outcome }) => outcome === 'passed');
      expect(passes.filter((one) => whole.get(keyOf(one)) !== 'passed')).toEqual([]);
    }),
    { numRuns: cases(2000, 100) },
  );
});
