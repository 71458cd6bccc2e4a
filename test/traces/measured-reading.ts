/** Reads a trace in a process of its own: `node test/traces/measured-reading.ts <file>`. Tells how much memory that took. */
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readTrace } from '#shared/traces/read-trace.ts';

/** `read`, or why not. */
export const Measured = z.object({ outcome: z.string(), growthBytes: z.number() });

const ORDINARY = join(import.meta.dirname, '../fixtures/traces/trace.zip');

const read = (file: string) => readTrace(createReadStream(file), () => 0);

/** Bytes of resident memory: of this moment (`VmRSS`), or the most since the last `forgetPeak` (`VmHWM`). */
async function residentBytes(name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(await readFile('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
const forgetPeak = () => writeFile('/proc/self/clear_refs', '5');

if (import.meta.main) {
  // What the code itself needs is there before the file is.
  await read(ORDINARY);
  await forgetPeak();
  const before = await residentBytes('VmRSS');
  const reading = await read(process.argv[2] ?? '');
  const growthBytes = (await residentBytes('VmHWM')) - before;
  const outcome = reading.kind === 'refused' ? reading.reason : reading.kind;
  console.log(JSON.stringify({ outcome, growthBytes } satisfies z.input<typeof Measured>));
}
