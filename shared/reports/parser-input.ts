/** The input of a parser besides the text of its file. */

import type { FoundFile } from './found.ts';
import type { TextBudget } from './kept-results.ts';
import type { ReadingBudget } from './reading-budget.ts';
import type { ReportHints } from './report.ts';

export interface AttachmentName {
  readonly name: string;
  readonly contentType: string;
  /** The path of the attachment on the machine that ran the tests. */
  readonly path: string;
}

export interface ParserInput extends ReportHints {
  /** The budget of kept characters, which all files of one archive share. */
  readonly budget: TextBudget;
  readonly reading: ReadingBudget;
  /** Finds an attachment that is next to the report in its archive. */
  readonly fileAt: (attachment: AttachmentName) => FoundFile | undefined;
}
