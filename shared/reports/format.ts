/** What a report format is: how a file is recognized, and how it is parsed. Formats do not know each other. */
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import type { Head } from './head.ts';
import type { ParserInput } from './parser-input.ts';
import type { ParsedFile } from './report.ts';

export type Parser = (text: AsyncIterable<string>, input: ParserInput) => Promise<ParsedFile>;

export interface Format {
  readonly format: ReportFormat;
  /** Whether a file begins like a report in this format. At most one format recognizes a file. */
  readonly recognizes: (head: Head) => boolean;
  readonly parse: Parser;
}
