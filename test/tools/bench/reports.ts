/** Measures the memory and time to parse a large report, in a separate process with a small heap. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MeasuredParsing } from '#test/reports/measured-parsing.ts';
import type { Measurement } from './budgets.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '../../reports/measured-parsing.ts');

/** The heap limit in megabytes. Buffers take additional memory outside the heap. */
const HEAP = '--max-old-space-size=256';
const MEGABYTES = '200';

export async function measureReports(): Promise<Measurement[]> {
  const { stdout } = await run(process.execPath, [HEAP, PROGRAM, MEGABYTES]);
  const { bytes, growthBytes, milliseconds } = MeasuredParsing.parse(JSON.parse(stdout));
  return [
    { name: 'reportMemory', measured: growthBytes / bytes },
    { name: 'reportSeconds', measured: milliseconds / 1000 },
  ];
}
