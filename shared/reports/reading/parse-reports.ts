/** Parses a report file, or each report of a zip archive. */
import { TextBudget } from '#shared/reports/kept-results.ts';
import { rootFolder } from '#shared/reports/paths.ts';
import { ReadingBudget } from '#shared/reports/reading-budget.ts';
import type { ByteSource, ParsedFile, ReportHints } from '#shared/reports/report.ts';
import { isZip } from './archive.ts';
import { parseArchive } from './parse-archive.ts';
import { parseStream } from './parse-stream.ts';

const SIGNATURE_BYTES = 4;

/** Parses all reports of a file. Throws an `ApiError` for a file that is not a report. */
export async function parseReports(source: ByteSource, given: ReportHints): Promise<ParsedFile[]> {
  const hints = given.root === undefined ? given : { ...given, root: rootFolder(given.root) };
  const budgets = { budget: new TextBudget(), reading: new ReadingBudget(hints.most) };
  const signature = await source.read(0, Math.min(SIGNATURE_BYTES, source.size));
  if (isZip(signature)) return parseArchive(source, { ...hints, ...budgets });
  return [await parseStream(source.stream(), { ...hints, ...budgets, fileAt: () => undefined })];
}
