import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { archive } from '#test/context/trace/archives.ts';
import { attack } from '#test/harness/attacks.ts';
import { IS_DEEP, sampled } from '#test/harness/cases.ts';
import { listArchiveAttacks, listStructureAttacks, listValueAttacks, type ReportAttack } from './report-attacks.ts';
import { buildReport, SAMPLES, type Sample } from './sample-documents.ts';
import { parseAll, toldBy } from './samples.ts';
import { checkReport, readOrRefuse } from './valid-report.ts';

const folder = await mkdtemp(join(tmpdir(), 'rundown-secret-'));
const secretPath = join(folder, 'secret.txt');
const SECRET = 'the content of a file of this machine';
await writeFile(secretPath, SECRET);
afterAll(() => rm(folder, { recursive: true }));

const SIZES = IS_DEEP ? { many: 1_000_000, levels: 100_000 } : { many: 2000, levels: 2000 };
const MEMBER = 'the content of a member of the archive';

/**
 * Every how many kinds of attacks one is tried in `npm test`. Each format has at least five kinds of structures, and an
 * archive can be attacked in 13 ways.
 */
const STEP = { values: SAMPLES.length, structures: 5, archives: 13 };

/** In `npm test`, one or two kinds for each format, each at one place. The formats together try each kind. */
const pick = (all: Iterable<ReportAttack>, step: number, row: number): ReportAttack[] =>
  IS_DEEP
    ? [...all]
    : sampled([...Map.groupBy(all, ({ kind }) => kind).values()], step, row).flatMap(
        (own) => own[(row * ROWS_APART) % own.length] ?? [],
      );
const ROWS_APART = 7;

const listTests = (files: readonly ParsedFile[]) => files.flatMap((file) => toldBy(file));

async function check(files: readonly ParsedFile[]): Promise<void> {
  for (const file of files) {
    checkReport(file);
    const { warnings, runErrors } = file;
    expect(warnings.length).toBeLessThanOrEqual(REPORT_LIMITS.warnings);
    expect(runErrors.length).toBeLessThanOrEqual(REPORT_LIMITS.runErrors);
    expect(listTests([file]).length).toBeLessThanOrEqual(MODEL_LIMITS.testsPerRun);
    const evidence = file.instances.flatMap(({ tests }) => tests.flatMap((one) => one.evidence()));
    expect(JSON.stringify([file, evidence])).not.toContain(SECRET);
    for (const attachment of file.files) {
      const parts: Uint8Array[] = [];
      for await (const part of attachment.read()) parts.push(part);
      expect(Buffer.concat(parts).toString()).not.toContain(SECRET);
    }
  }
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
}

/** In an archive, beside files with the names that attacks use. */
const wrap = (sample: Sample, bytes: Buffer): Buffer =>
  sample.isFolder
    ? bytes
    : archive([
        { name: sample.report, content: bytes },
        { name: 'secret.txt', content: MEMBER },
      ]);

async function repel({ build, expected }: ReportAttack, sample: Sample, isWrapped: boolean): Promise<void> {
  attack('hostile reports');
  const bytes = build();
  const files = await readOrRefuse(() => parseAll(isWrapped ? wrap(sample, bytes) : bytes));
  await check(files ?? []);
  if (expected === 'refused') expect(files).toBeUndefined();
  if (expected === 'same tests') {
    const plainFiles = await parseAll(buildReport(sample.isFolder, sample.files));
    expect(listTests(files ?? [])).toEqual(listTests(plainFiles));
  }
}

describe.each(SAMPLES.map((sample, row) => [sample.format, sample, row] as const))('%s', (_, sample, row) => {
  test('A report whose members have hostile values is refused or read within limits, and shows no file of the machine', async () => {
    for (const one of pick(listValueAttacks(sample, secretPath), STEP.values, row))
      await repel(one, sample, true).catch(nameAttack(one));
  });

  test('A report with a hostile structure is refused or read within limits, and no entity of it is expanded', async () => {
    for (const one of pick(listStructureAttacks(sample, secretPath, SIZES), STEP.structures, row))
      await repel(one, sample, false).catch(nameAttack(one));
  });

  test('A report in a hostile archive is refused, or has the tests that it has without the archive', async () => {
    for (const one of pick(listArchiveAttacks(sample), STEP.archives, row))
      await repel(one, sample, false).catch(nameAttack(one));
  });
});

const nameAttack =
  ({ place = 'report', kind }: ReportAttack) =>
  (error: unknown): never => {
    throw new Error(`The attack "${place}: ${kind}" has succeeded`, { cause: error });
  };
