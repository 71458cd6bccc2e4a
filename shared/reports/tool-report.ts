/** The tests and errors of a report in one of the own formats of test tools, while the file is read. */
import { cutText } from '#shared/engine/cut-text.ts';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { Collector } from './collector.ts';
import type { FoundTest, SameName } from './found.ts';
import { joinRows } from './found-tests.ts';
import { REPORT_LIMITS } from './limits.ts';
import type { ParserInput } from './parser-input.ts';
import { DEFAULT_GROUP } from './paths.ts';
import type { ParsedFile } from './report.ts';
import { ODD_PARTS, SEVERAL_REPORTS, TOO_DEEP, TOO_LARGE } from './warnings.ts';

interface ToolFacts extends Partial<ParsedFile> {
  readonly format: ReportFormat;
  readonly framework: ParsedFile['framework'];
  readonly truncated: boolean;
}

/** What a reader of XML elements or parts of JSON knows about the end of its file. */
interface ReadFile {
  readonly whole: boolean;
  /** Whether something is missing, because it is nested too deeply, or because a part is too large. */
  readonly tooDeep: boolean;
  readonly tooLarge: boolean;
  readonly hasMore?: boolean;
  readonly misshapen?: boolean;
}

export class ToolReport {
  readonly collector: Collector;
  readonly #input: ParserInput;
  #isBeyondLimit = false;
  readonly #runErrors = new Set<string>();
  readonly #failures = new Set<string>();

  constructor(input: ParserInput) {
    this.#input = input;
    this.collector = new Collector(input, DEFAULT_GROUP);
  }

  get full(): boolean {
    return this.collector.full;
  }

  add(test: FoundTest, sameName: SameName = 'numbered'): void {
    this.addKept(this.collector.trim(test), sameName);
  }

  /** Adds a test that waited for the end of the file. `collector.trim` deducted it from the budget when it was found. */
  addKept(keptTest: FoundTest, sameName: SameName = 'numbered'): void {
    if (!this.full) this.#input.reading.work(REPORT_LIMITS.work.test, this.#input.name);
    this.collector.add(keptTest, sameName);
    for (const { errors } of keptTest.attempts) for (const { message } of errors) this.#noteFailure(message);
  }

  /** Whether another result may wait for the end of the file, beside those that wait. */
  hasRoom(rows: number, most: number = REPORT_LIMITS.testsPerFile): boolean {
    if (rows < most) return true;
    this.#exceed(`The file has more than ${most} results. The others are left out. Split the file`);
    return false;
  }

  /** Whether tests may be missing, because the file ends early or exceeds a limit. */
  isIncomplete({ whole, tooDeep, tooLarge, hasMore = false, misshapen = false }: ReadFile): boolean {
    if (hasMore) this.#exceed(SEVERAL_REPORTS);
    if (tooDeep) this.#exceed(TOO_DEEP);
    if (tooLarge) this.#exceed(TOO_LARGE);
    if (misshapen) this.#exceed(ODD_PARTS);
    return !whole || tooDeep || tooLarge;
  }

  #exceed(warning: string): void {
    this.#isBeyondLimit = true;
    this.collector.warnings.once(warning);
  }

  /** An error that belongs to no test. */
  runError(text: string): void {
    const message = cutText(removeControlSequences(text).trim(), REPORT_LIMITS.runErrorCharacters);
    if (message !== '' && this.#runErrors.size < REPORT_LIMITS.runErrors) this.#runErrors.add(message);
  }

  /** For a file that says only that its run failed. */
  runErrorIfNone(text: string): void {
    if (this.#runErrors.size === 0) this.runError(text);
  }

  /** An error that some tools repeat for each test that it stopped. It is an error of the run if no test shows it. */
  hasFailure(text: string): boolean {
    return this.#failures.has(getBeginning(text));
  }

  #noteFailure(message: string): void {
    if (this.#failures.size < REPORT_LIMITS.testsPerFile) this.#failures.add(getBeginning(message));
  }

  finish({ truncated, ...facts }: ToolFacts): ParsedFile {
    if (truncated && !this.collector.full && !this.#isBeyondLimit)
      this.collector.warnings.add('The file is truncated. The tests before its end are kept');
    return this.collector.finish(joinRows, {
      ...facts,
      truncated: truncated || this.#isBeyondLimit,
      runErrors: [...this.#runErrors],
    });
  }
}

const COMPARED_CHARACTERS = 200;

const getBeginning = (text: string): string =>
  removeControlSequences(text).trim().split('\n', 1)[0]?.slice(0, COMPARED_CHARACTERS) ?? '';
