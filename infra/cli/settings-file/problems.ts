/** Collects what is wrong with a settings file, with the line of each problem. */
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';
import { formatMemberName } from '#shared/engine/http/problem.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { SETTINGS_FILE_LIMITS } from './limits.ts';

export type Path = readonly PropertyKey[];

export class FileProblems {
  readonly #file: string;
  readonly #lineOf: (path: Path) => number;
  readonly #shown: { readonly line: number; readonly text: string }[] = [];
  #more = 0;

  constructor(file: string, lineOf: (path: Path) => number) {
    this.#file = file;
    this.#lineOf = lineOf;
  }

  add(path: Path, problem: string): void {
    // Finding a line takes time, so it is done only for problems that are shown.
    if (this.#isFull) this.#more += 1;
    else this.addAt(this.#lineOf(path), path.length === 0 ? problem : `${formatMemberName(path)}: ${problem}`);
  }

  addAt(line: number, text: string): void {
    if (this.#isFull) this.#more += 1;
    else this.#shown.push({ line, text: makeVisibleLine(text) });
  }

  get #isFull(): boolean {
    return this.#shown.length >= SETTINGS_FILE_LIMITS.problems;
  }

  /** Calls `run`. If it refuses the value at this path, adds the reason as a problem and returns `undefined`. */
  check<Result>(path: Path, run: () => Result): Result | undefined {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.add(path, error.message);
      return undefined;
    }
  }

  /** Throws one error with all problems, if there are any. */
  refuse(): void {
    if (this.#shown.length === 0) return;
    const problems = this.#shown.toSorted((one, other) => one.line - other.line);
    throw invalidRequest(
      [
        `${this.#file} cannot be used, and nothing was changed:`,
        ...problems.map(({ line, text }) => `  line ${line}: ${text}`),
        ...(this.#more > 0 ? [`  and ${this.#more} more`] : []),
      ].join('\n'),
    );
  }
}
