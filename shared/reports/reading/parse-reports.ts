/** Parses a report file, or each report of a zip archive. */
import { refuse } from '#shared/engine/errors.ts';
import { foreignReport, unknownReport } from '#shared/engine/report-errors.ts';
import { decoded } from '#shared/reports/decoded-text.ts';
import { parseJUnit } from '#shared/reports/junit/parse-junit.ts';
import type { ByteSource, ParsedFile, ReportFormat, ReportHints } from '#shared/reports/report.ts';
import { beginningOf } from '#shared/reports/unpacked.ts';
import { detect } from './detect.ts';

/** Throws a refusal for a file that is no report. */
export async function parseReports(source: ByteSource, hints: ReportHints): Promise<ParsedFile[]> {
  return [await parseOne(source.stream(), hints)];
}

async function parseOne(stream: AsyncIterable<Uint8Array>, hints: ReportHints): Promise<ParsedFile> {
  const name = hints.name ?? '';
  let cut = false;
  const { beginning, bytes } = await beginningOf(stream, name, () => {
    cut = true;
  });
  const format = hints.format ?? detectedFormat(beginning, name);
  const parse = PARSERS[format] ?? refuse(unknownReport(name));
  const file = await parse(decoded(bytes, beginning), hints);
  return cut ? { ...file, truncated: true } : file;
}

function detectedFormat(beginning: Uint8Array, name: string): ReportFormat {
  const detected = detect(beginning);
  if (detected.kind === 'format') return detected.format;
  throw detected.kind === 'foreign' ? foreignReport(name, detected.what, detected.advice) : unknownReport(name);
}

type Parser = (text: AsyncIterable<string>, hints: ReportHints) => Promise<ParsedFile>;

const PARSERS: Partial<Record<ReportFormat, Parser>> = { junit: parseJUnit };
