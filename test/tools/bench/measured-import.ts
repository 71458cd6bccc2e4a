/**
 * Measures the CPU time and memory that a request takes for one hostile report, in a separate process:
 * `node test/tools/bench/measured-import.ts <format> <name>`. Without a name, measures the flooded samples of the format.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import { planImport } from '#shared/imports/plan-import.ts';
import { parseImport } from '#shared/imports/read-report.ts';
import { makeMemorySource } from '#shared/reports/byte-source.ts';
import { SAMPLES } from '#test/reports/sample-documents.ts';
import { listFloods } from './flooded-samples.ts';
import { HOSTILE_REPORTS } from './hostile-reports.ts';

export const MeasuredImport = z.object({
  /** The number of tests, or `refused` if the report is invalid or exceeds the limits of a request. */
  answer: z.union([z.number(), z.literal('refused')]),
  milliseconds: z.number(),
  growthBytes: z.number(),
});

async function residentBytes(name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(await readFile('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
const forgetPeak = () => writeFile('/proc/self/clear_refs', '5');

async function plan(file: Uint8Array): Promise<z.input<typeof MeasuredImport>['answer']> {
  try {
    const parsed = await parseImport(makeMemorySource(file), {}, { now: Date.now(), most: IMPORT_LIMITS.small });
    return planImport(parsed, { options: {}, ownBuildId: 'b' }).tests;
  } catch (error) {
    if (error instanceof ApiError) return 'refused';
    throw error;
  }
}

async function measure(text: string): Promise<z.input<typeof MeasuredImport>> {
  // Warms up with the beginning of the report, so that the memory of the code itself does not count.
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await plan(gzipSync(text.slice(0, 5000)));
  const file = gzipSync(text);
  await forgetPeak();
  const before = await residentBytes('VmRSS');
  const started = process.cpuUsage();
  const answer = await plan(file);
  const { user, system } = process.cpuUsage(started);
  return { answer, milliseconds: (user + system) / 1000, growthBytes: (await residentBytes('VmHWM')) - before };
}
const WARM_UP_ROUNDS = 5;

/** Measures all reports in one process, in which code that has run before is faster. */
async function measureFloods(format: string): Promise<Record<string, z.input<typeof MeasuredImport>>> {
  const sample = SAMPLES.find((one) => one.format === format);
  if (!sample) throw new Error(`There is no format ${format}`);
  const measured: Record<string, z.input<typeof MeasuredImport>> = {};
  for (const { name, build } of listFloods(sample)) {
    const text = build();
    globalThis.gc?.();
    measured[name] = await measure(text);
  }
  return measured;
}

if (import.meta.main) {
  const [, , format = '', name] = process.argv;
  if (name === undefined) console.log(JSON.stringify(await measureFloods(format)));
  else {
    const make = new Map(Object.entries(HOSTILE_REPORTS)).get(format)?.[name];
    if (!make) throw new Error(`There is no hostile report ${name} in the format ${format}`);
    console.log(JSON.stringify(await measure(make())));
  }
}
