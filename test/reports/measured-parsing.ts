/**
 * Parses a generated report in a separate process, and prints its memory use and time:
 * `node test/reports/measured-parsing.ts <name of a hostile file, or megabytes> [<format>]`. With a format, the tests of
 * its sample are repeated until the file has this size.
 */
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import { REPORT_FORMATS, type ReportFormat } from '#shared/model/runs/report-format.ts';
import { type ByteSource, makeMemorySource } from '#shared/reports/byte-source.ts';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import { HOSTILE, junitOf, type Parts } from './large-files.ts';
import { countTimes, listSections, repeatFolder, repeatSections } from './repeated-samples.ts';
import { readSample, type Sample } from './sample-documents.ts';

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

const MEGABYTE = 1024 * 1024;

const SMALL = ['<testsuite name="s"><testcase name="x"><failure>no</failure></testcase></testsuite>'];

/** The CPU time in milliseconds of what has happened since `start`. */
function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function measure(source: ReturnType<typeof generated>, warmUp: () => Parts): Promise<MeasuredParsing> {
  // Warms up with a small report, so that loading the code is not measured.
  await parse(generated(warmUp));
  await forgetPeak();
  const before = await residentBytes('VmRSS');
  const start = process.cpuUsage();
  const answer = await parse(source);
  const milliseconds = cpuSince(start);
  const growthBytes = (await residentBytes('VmHWM')) - before;
  return { answer, bytes: source.bytes, growthBytes, milliseconds };
}

/** Leaves out the CPU time of generating the part of the file that was read. */
async function measureFile({ files: [file] }: Sample, bytes: number): Promise<MeasuredParsing> {
  const sections = listSections(file?.text ?? '');
  const parts = () => repeatSections(sections, countTimes(sections, bytes));
  const measured = await measure(generated(parts), () => repeatSections(sections, WARM_UP_TIMES));
  const start = process.cpuUsage();
  let generatedBytes = 0;
  for await (const part of generated(parts).stream()) {
    generatedBytes += part.length;
    if (generatedBytes >= measured.bytes) break;
  }
  return { ...measured, milliseconds: measured.milliseconds - cpuSince(start) };
}

async function measureFolder(sample: Sample, bytes: number): Promise<MeasuredParsing> {
  const small = repeatFolder(sample, WARM_UP_TIMES);
  await parse(makeMemorySource(small));
  const size = sample.files.reduce((sum, { text }) => sum + text.length, 0);
  const large = repeatFolder(sample, Math.ceil(bytes / size));
  return measure({ ...makeMemorySource(large), bytes: large.length }, () => SMALL);
}
const WARM_UP_TIMES = 20;

async function measureFormat(format: ReportFormat, bytes: number): Promise<MeasuredParsing> {
  const sample = await readSample(format);
  return sample.isFolder ? measureFolder(sample, bytes) : measureFile(sample, bytes);
}

if (import.meta.main) {
  const [, , name = '', formatName] = process.argv;
  const format = REPORT_FORMATS.find((one) => one === formatName);
  const parts = HOSTILE[name]?.parts ?? (() => junitOf(Number(name)));
  const measured = format
    ? await measureFormat(format, Number(name) * MEGABYTE)
    : await measure(generated(parts), () => SMALL);
  console.log(JSON.stringify(measured));
}
