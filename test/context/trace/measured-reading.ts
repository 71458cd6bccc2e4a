/**
 * Reads a trace and prints how much memory this takes. Tests run this program in a separate process:
 * `node test/context/trace/measured-reading.ts <file>`.
 */
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readTrace } from '#shared/context/trace/analyse-trace.ts';

/**
 * `outcome` is `read` or the reason for the refusal. `growthBytes` is the peak memory during the reading, minus the
 * memory before.
 */
export const Measured = z.object({ outcome: z.string(), growthBytes: z.number() });

const ORDINARY = join(import.meta.dirname, '../../samples/traces/trace.zip');

const read = (file: string) => readTrace(createReadStream(file), () => 0);

/**
 * The resident memory in bytes: at this moment (`VmRSS`), or the peak since the last call to `forgetPeak` (`VmHWM`).
 */
async function residentBytes(name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(await readFile('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
const forgetPeak = () => writeFile('/proc/self/clear_refs', '5');

if (import.meta.main) {
  // Reads a small trace first, so that the memory of the loaded code is not measured.
  await read(ORDINARY);
  await forgetPeak();
  const before = await residentBytes('VmRSS');
  const reading = await read(process.argv[2] ?? '');
  const growthBytes = (await residentBytes('VmHWM')) - before;
  const outcome = reading.kind === 'refused' ? reading.reason : reading.kind;
  console.log(JSON.stringify({ outcome, growthBytes } satisfies z.input<typeof Measured>));
}
