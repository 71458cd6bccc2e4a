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
/** Mocha lists each test twice. 100 MB of its tests are more than a report may have, and are refused. */
const MEGABYTES_OF_FORMAT: Partial<Record<ReportFormat, number>> = { 'mocha-json': 50 };
/** Enough for 10,000 results of Allure with their containers and attachments. */
const FOLDER_MEGABYTES = 27;
const MEGABYTE = 2 ** 20;

interface Cost {
  readonly format: ReportFormat;
  readonly perTest: number;
  readonly perMegabyte: number;
  readonly megabytes: number;
}

async function measureFormat(format: ReportFormat, megabytes: number): Promise<Cost> {
  const { stdout } = await run(process.execPath, [HEAP, PROGRAM, String(megabytes), format]);
  const { answer, bytes, growthBytes, milliseconds } = MeasuredParsing.parse(JSON.parse(stdout));
  if (answer === 'refused') throw new Error(`The large report of the format ${format} was refused`);
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

const findWorst = (costs: readonly Cost[], rate: (cost: Cost) => number) => {
  const [worst] = costs.toSorted((one, other) => rate(other) - rate(one));
  if (!worst) throw new Error('No format was measured');
  return { measured: rate(worst), note: worst.format };
};

export async function measureFormats(isQuick: boolean): Promise<Measurement[]> {
  const junit = await measureFormat('junit', isQuick ? QUICK_MEGABYTES : MEGABYTES);
  const costs: Cost[] = [junit];
  let folder = junit;
  for (const format of REPORT_FORMATS) {
    if (format === 'junit') continue;
    if (format === 'allure') folder = await measureFormat(format, isQuick ? 1 : FOLDER_MEGABYTES);
    else
      costs.push(await measureFormat(format, isQuick ? QUICK_MEGABYTES : (MEGABYTES_OF_FORMAT[format] ?? MEGABYTES)));
  }
  return [
    { name: 'formatTimes', ...findWorst(costs, (cost) => compare(cost, junit)) },
    { name: 'formatMegabytes', ...findWorst(costs, ({ megabytes }) => megabytes) },
    { name: 'folderTimes', measured: folder.perTest / junit.perTest },
    { name: 'folderMegabytes', measured: folder.megabytes },
  ];
}
