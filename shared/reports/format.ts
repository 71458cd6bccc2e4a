/** What a report format is: how a file is recognized, and how it is parsed. Formats do not know each other. */
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import type { Head } from './head.ts';
import type { ParserInput } from './parser-input.ts';
import type { ParsedFile } from './report.ts';

type Parser = (text: AsyncIterable<string>, input: ParserInput) => Promise<ParsedFile>;

export interface FolderFile {
  readonly name: string;
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** A format whose reports are folders of small files. */
interface FolderFormat {
  /** Whether a file with this name has results. */
  readonly isReport: (name: string) => boolean;
  /** Whether a file with this name belongs to the report. Attachments are found by their names in results. */
  readonly isPart: (name: string) => boolean;
  readonly parse: (files: readonly FolderFile[], input: ParserInput) => Promise<ParsedFile>;
}

export interface Format {
  readonly format: ReportFormat;
  /** Whether a file begins like a report in this format. At most one format recognizes a file. */
  readonly recognizes: (head: Head) => boolean;
  readonly parse: Parser;
  readonly folder?: FolderFormat;
}
