/** Warnings about a report file. Only the first ones are kept. */
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { REPORT_LIMITS } from './limits.ts';
import type { ReportWarning } from './report.ts';

export const SEVERAL_REPORTS =
  'The file has several reports one after the other, and only the first one is read. Send each as a file of its own';
export const ODD_PARTS = 'Tests or suites that are not JSON objects, or not in a list, are left out';
export const TOO_DEEP = 'Some suites or steps are nested too deeply, and are left out. Split the file';
export const TOO_LARGE = 'A test or suite is too large, and a part of it is left out. Split the file';

export class Warnings {
  readonly #all: ReportWarning[] = [];
  readonly #said = new Set<string>();
  #leftOut = 0;

  add(message: string, line: number | null = null): void {
    if (this.#all.length === REPORT_LIMITS.warnings) return;
    const visibleText = makeVisibleLine(message).slice(0, REPORT_LIMITS.warningCharacters).toWellFormed();
    this.#all.push({ line, message: visibleText });
  }

  /** Adds a warning unless the file already has the same warning. Used for problems that may affect many tests. */
  once(message: string, line: number | null = null): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.add(message, line);
  }

  /** Warns that an attachment is left out. The first warnings name their attachments, and the others are counted. */
  leaveOut({ name, spec }: { readonly name: string; readonly spec: string }, reason: string): void {
    this.#leftOut += 1;
    if (this.#leftOut <= REPORT_LIMITS.leftOutNames)
      this.add(`The attachment "${cut(name)}" of ${cut(spec)} is left out: ${reason}`);
  }

  get all(): readonly ReportWarning[] {
    const more = this.#leftOut - REPORT_LIMITS.leftOutNames;
    if (more <= 0) return this.#all;
    const message = `Further attachments left out: ${more}`;
    return [...this.#all.slice(0, REPORT_LIMITS.warnings - 1), { line: null, message }];
  }
}

/** Shortens a name, so that the warning also has room for the reason. */
const cut = (name: string): string =>
  name.length <= SHOWN_CHARACTERS ? name : `…${name.slice(-SHOWN_CHARACTERS).toWellFormed()}`;
const SHOWN_CHARACTERS = 80;
