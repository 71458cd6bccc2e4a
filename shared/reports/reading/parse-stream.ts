/** Parses one report that is not an archive. */

import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { parseCtrf } from '#shared/reports/ctrf/parse-ctrf.ts';
import { decoded } from '#shared/reports/decoded-text.ts';
import { emptyReport, foreignReport, unknownReport, unreadableReport } from '#shared/reports/errors.ts';
import { parseJUnit } from '#shared/reports/junit/parse-junit.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { parseBlob } from '#shared/reports/playwright/parse-blob.ts';
import { parsePlaywrightJson } from '#shared/reports/playwright/parse-playwright-json.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { openedBeginning } from '#shared/reports/unpacked.ts';
import { isZip } from './archive.ts';
import { detect } from './detect.ts';

type Parser = (text: AsyncIterable<string>, input: ParserInput) => Promise<ParsedFile>;

const PARSERS: Readonly<Record<ReportFormat, Parser>> = {
  junit: parseJUnit,
  ctrf: parseCtrf,
  'playwright-json': parsePlaywrightJson,
  'playwright-blob': parseBlob,
};

export async function parseStream(stream: AsyncIterable<Uint8Array>, input: ParserInput): Promise<ParsedFile> {
  const name = input.name ?? '';
  input.reading.work(REPORT_LIMITS.work.file, name);
  let cut = false;
  const onCut = () => {
    cut = true;
  };
  const { beginning, bytes } = await openedBeginning(stream, { name, reading: input.reading, onCut });
  if (isZip(beginning)) throw unreadableReport(name, 'is a zip archive inside a compressed file');
  const format = input.format ?? detectedFormat(beginning, name);
  const file = await PARSERS[format](decoded(bytes, beginning), input);
  return cut ? { ...file, truncated: true } : file;
}

function detectedFormat(beginning: Uint8Array, name: string): ReportFormat {
  if (beginning.length === 0) throw emptyReport(name);
  const detected = detect(beginning);
  if (detected.kind === 'format') return detected.format;
  throw detected.kind === 'foreign' ? foreignReport(name, detected.what, detected.advice) : unknownReport(name);
}
