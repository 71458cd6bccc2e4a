/** Measures the CPU time and memory of a request that imports the worst small report of each format. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { REPORT_FORMATS, type ReportFormat } from '#shared/model/runs/report-format.ts';
import type { Measurement } from './budgets.ts';
import { HOSTILE_REPORTS, type MeasuredFormat } from './hostile-reports.ts';
import { MeasuredImport } from './measured-import.ts';
import { note } from './progress.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'measured-import.ts');

const NAMES = {
  junit: ['junitMilliseconds', 'junitMegabytes'],
  ctrf: ['ctrfMilliseconds', 'ctrfMegabytes'],
  'playwright-json': ['playwrightJsonMilliseconds', 'playwrightJsonMegabytes'],
  'playwright-blob': ['blobMilliseconds', 'blobMegabytes'],
} as const satisfies Record<MeasuredFormat, readonly [Measurement['name'], Measurement['name']]>;

export async function measureHostileImports(): Promise<Measurement[]> {
  const formats = ['junit', 'ctrf', 'playwright-json', 'playwright-blob'] as const;
  const measured: Measurement[] = [];
  for (const format of formats) measured.push(...(await worstOf(format)));
  const others = REPORT_FORMATS.filter((format) => !Object.hasOwn(NAMES, format));
  return [...measured, ...(await worstOfSamples(others))];
}

interface Worst {
  readonly measured: number;
  readonly note: string;
}
const NOTHING: Worst = { measured: 0, note: '' };
const pickWorse = (one: Worst, other: Worst): Worst => (other.measured > one.measured ? other : one);

/** The worst of all formats whose reports are made from their samples. */
async function worstOfSamples(formats: readonly ReportFormat[]): Promise<Measurement[]> {
  let slowest = NOTHING;
  let largest = NOTHING;
  for (const format of formats) {
    const { stdout } = await run(process.execPath, ['--expose-gc', PROGRAM, format]);
    const floods = Object.entries(z.record(z.string(), MeasuredImport).parse(JSON.parse(stdout)));
    let slowestFlood = NOTHING;
    let largestFlood = NOTHING;
    for (const [name, { milliseconds, growthBytes }] of floods) {
      slowestFlood = pickWorse(slowestFlood, { measured: milliseconds, note: `${format}, ${name}` });
      largestFlood = pickWorse(largestFlood, { measured: growthBytes / 2 ** 20, note: `${format}, ${name}` });
    }
    note(
      `    ${floods.length} reports of ${slowestFlood.note}: ${slowestFlood.measured.toFixed(0)} ms; ${largestFlood.note}: ${largestFlood.measured.toFixed(0)} MB`,
    );
    slowest = pickWorse(slowest, slowestFlood);
    largest = pickWorse(largest, largestFlood);
  }
  return [
    { name: 'toolMilliseconds', ...slowest },
    { name: 'toolMegabytes', ...largest },
  ];
}

async function worstOf(format: MeasuredFormat): Promise<Measurement[]> {
  let slowest = { measured: 0, note: '' };
  let largest = { measured: 0, note: '' };
  for (const name of Object.keys(HOSTILE_REPORTS[format])) {
    const { stdout } = await run(process.execPath, [PROGRAM, format, name]);
    const { answer, milliseconds, growthBytes } = MeasuredImport.parse(JSON.parse(stdout));
    const megabytes = growthBytes / 2 ** 20;
    note(`    ${format}, ${name}: ${answer}, ${milliseconds.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`);
    if (milliseconds > slowest.measured) slowest = { measured: milliseconds, note: name };
    if (megabytes > largest.measured) largest = { measured: megabytes, note: name };
  }
  const [ofTime, ofMemory] = NAMES[format];
  return [
    { name: ofTime, ...slowest },
    { name: ofMemory, ...largest },
  ];
}
