/** The samples of the formats as documents. */
import { REPORT_FORMATS, type ReportFormat } from '#shared/model/runs/report-format.ts';
import { Archive } from '#shared/reports/reading/archive.ts';
import { archive } from '#test/context/trace/archives.ts';
import { CORPUS } from './corpus.ts';
import { FORMAT_SAMPLES, formatSample } from './formats.ts';
import { sampleFile, sourceOf } from './sources.ts';

export interface SampleFile {
  readonly name: string;
  readonly text: string;
}

export interface Sample {
  readonly format: ReportFormat;
  readonly report: string;
  /** The files of a folder, or the only file. */
  readonly files: readonly SampleFile[];
  readonly isFolder: boolean;
}

/** In UTF-16, and with a summary that ends the report. */
const UNUSUAL: ReadonlySet<string> = new Set(['trx-utf-16.trx', 'prove-verbose-5.36.txt']);

/** The whole sample of a format with several spec files and the most tests. Archives count only without plain files. */
export async function readSample(format: ReportFormat): Promise<Sample> {
  const [best] = [...FORMAT_SAMPLES, ...CORPUS]
    .filter((one) => one.format === format && !UNUSUAL.has(one.report))
    .map(({ report, tests, truncated }) => ({
      report,
      tests: tests.length,
      isZip: report.endsWith('.zip'),
      isWhole: !truncated,
      hasSpecs: new Set(tests.map(({ spec }) => spec)).size > 1,
    }))
    .sort(
      (one, other) =>
        Number(one.isZip) - Number(other.isZip) ||
        Number(other.isWhole) - Number(one.isWhole) ||
        Number(other.hasSpecs) - Number(one.hasSpecs) ||
        other.tests - one.tests,
    );
  if (!best) throw new Error(`There is no sample of the format ${format}`);
  const { report } = best;
  const bytes = await (FORMAT_SAMPLES.some((one) => one.report === report) ? formatSample(report) : sampleFile(report));
  if (!best.isZip) return { format, report, files: [{ name: report, text: bytes.toString() }], isFolder: false };
  const files = await readMembers(bytes);
  const events = files.filter(({ name }) => name === 'report.jsonl');
  // The events inside a blob report are a report, too.
  const [event] = events;
  return event
    ? { format, report: event.name, files: [event], isFolder: false }
    : { format, report, files, isFolder: true };
}

export const SAMPLES: readonly Sample[] = await Promise.all(REPORT_FORMATS.map(readSample));

export async function readMembers(bytes: Buffer): Promise<SampleFile[]> {
  const { members } = await Archive.open(sourceOf(bytes), 'sample');
  const files: SampleFile[] = [];
  for (const member of members) {
    const parts: Uint8Array[] = [];
    for await (const part of member.open()) parts.push(part);
    files.push({ name: member.name, text: Buffer.concat(parts).toString() });
  }
  return files;
}

/** The report with these files. */
export const buildReport = (isFolder: boolean, files: readonly { name: string; text: string | Buffer }[]): Buffer =>
  isFolder
    ? archive(files.map(({ name, text }) => ({ name, content: text })))
    : Buffer.concat(files.map(({ text }) => Buffer.from(text)));

export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
