/** Measures a file of 100 MB in each report format, and a folder of 10,000 results, beside a JUnit file. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPORT_FORMATS, type ReportFormat } from '#shared/model/runs/report-format.ts';
import { MeasuredParsing } from '#test/reports/measured-parsing.ts';
import type { Measurement } from './budgets.ts';
import { note } from './progress.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '../../reports/measured-parsing.ts');
const HEAP = '--max-old-space-size=256';
const MEGABYTES = 100;
const QUICK_MEGABYTES = 10;
/** Enough for 10,000 results of Allure with their containers and attachments. */
const FOLDER_MEGABYTES = 27;
const MEGABYTE = 2 ** 20;

interface Cost {
  readonly format: ReportFormat;
  readonly perTest: number;
  readonly perMegabyte: number;
  readonly megabytes: number;
}

/**
 * A format with small tests, or one that lists each test twice, has more tests in 100 MB than a report may have. It is
 * measured at half the size, because a refusal costs next to nothing.
 */
async function measureFormat(format: ReportFormat, megabytes: number): Promise<Cost> {
  const { stdout } = await run(process.execPath, [HEAP, PROGRAM, String(megabytes), format]);
  const { answer, bytes, growthBytes, milliseconds } = MeasuredParsing.parse(JSON.parse(stdout));
  if (answer === 'refused') {
    if (megabytes <= QUICK_MEGABYTES) throw new Error(`The large report of the format ${format} was refused`);
    return measureFormat(format, Math.ceil(megabytes / 2));
  }
  const cost = {
    format,
    perTest: (milliseconds * 1000) / answer,
    perMegabyte: milliseconds / (bytes / MEGABYTE),
    megabytes: growthBytes / MEGABYTE,
  };
  note(
    `    ${format}: ${answer} tests, ${(bytes / MEGABYTE).toFixed(0)} MB read, ${cost.megabytes.toFixed(0)} MB of memory, ${cost.perTest.toFixed(0)} µs per test, ${cost.perMegabyte.toFixed(0)} ms per MB`,
  );
  return cost;
}

/** Tests of some formats have many more bytes than those of others, so the smaller of both ratios counts. */
const compare = (cost: Cost, junit: Cost): number =>
  Math.min(cost.perTest / junit.perTest, cost.perMegabyte / junit.perMegabyte);

interface Value {
  readonly measured: number;
  readonly note: string;
}

const findWorst = (values: readonly Value[]): Value => {
  const [worst] = values.toSorted((one, other) => other.measured - one.measured);
  if (!worst) throw new Error('No format was measured');
  return worst;
};

/** Each format is compared with a JUnit file that is read right before it, because a machine is not always as fast. */
export async function measureFormats(isQuick: boolean): Promise<Measurement[]> {
  const full = isQuick ? QUICK_MEGABYTES : MEGABYTES;
  const { megabytes } = await measureFormat('junit', full);
  const times: Value[] = [];
  const memory: Value[] = [{ measured: megabytes, note: 'junit' }];
  const folder: Measurement[] = [];
  for (const format of REPORT_FORMATS) {
    if (format === 'junit') continue;
    const junit = await measureFormat('junit', QUICK_MEGABYTES * 2);
    if (format === 'allure') {
      const cost = await measureFormat(format, isQuick ? 1 : FOLDER_MEGABYTES);
      folder.push({ name: 'folderTimes', measured: cost.perTest / junit.perTest });
      folder.push({ name: 'folderMegabytes', measured: cost.megabytes });
      continue;
    }
    const cost = await measureFormat(format, full);
    times.push({ measured: compare(cost, junit), note: format });
    memory.push({ measured: cost.megabytes, note: format });
  }
  return [{ name: 'formatTimes', ...findWorst(times) }, { name: 'formatMegabytes', ...findWorst(memory) }, ...folder];
}
