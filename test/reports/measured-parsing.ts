/**
 * Parses a generated report in a separate process, and prints its memory use and time:
 * `node test/reports/measured-parsing.ts <name of a hostile file, or megabytes>`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import type { ByteSource } from '#shared/reports/byte-source.ts';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import { HOSTILE, junitOf, type Parts } from './large-files.ts';

export const MeasuredParsing = z.object({
  answer: z.union([z.number(), z.literal('refused')]),
  bytes: z.number(),
  growthBytes: z.number(),
  milliseconds: z.number(),
});
type MeasuredParsing = z.infer<typeof MeasuredParsing>;

/**
 * Resident memory in bytes: the current amount (`VmRSS`), or the peak since the last call of `forgetPeak` (`VmHWM`).
 */
async function residentBytes(name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(await readFile('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
const forgetPeak = () => writeFile('/proc/self/clear_refs', '5');

/**
 * A source whose size is unknown. Only the check for the signature of zip files calls `read`, so `read` supports only
 * the first part.
 */
function generated(parts: () => Parts): ByteSource & { bytes: number } {
  const source = {
    size: Number.MAX_SAFE_INTEGER,
    bytes: 0,
    read: async (start: number, end: number) => {
      const [first = ''] = parts();
      return Buffer.from(first).subarray(start, end);
    },
    stream: async function* () {
      for (const part of parts()) {
        const bytes = Buffer.from(part);
        source.bytes += bytes.length;
        yield bytes;
      }
    },
  };
  return source;
}

async function parse(source: ByteSource): Promise<MeasuredParsing['answer']> {
  try {
    const files = await parseReports(source, { now: Date.now() });
    return files.flatMap(({ instances }) => instances).reduce((sum, { tests }) => sum + tests.length, 0);
  } catch (error) {
    if (error instanceof ApiError) return 'refused';
    throw error;
  }
}

const SMALL = ['<testsuite name="s"><testcase name="x"><failure>no</failure></testcase></testsuite>'];

async function measure(parts: () => Parts): Promise<MeasuredParsing> {
  // Warms up with a small report, so that loading the code is not measured.
  await parse(generated(() => SMALL));
  await forgetPeak();
  const before = await residentBytes('VmRSS');
  const start = process.cpuUsage();
  const source = generated(parts);
  const answer = await parse(source);
  const { user, system } = process.cpuUsage(start);
  const growthBytes = (await residentBytes('VmHWM')) - before;
  return { answer, bytes: source.bytes, growthBytes, milliseconds: (user + system) / 1000 };
}

if (import.meta.main) {
  const [, , name = ''] = process.argv;
  const parts = HOSTILE[name]?.parts ?? (() => junitOf(Number(name)));
  console.log(JSON.stringify(await measure(parts)));
}
