/**
 * The reports that a command wrote. A report that is older than the command, or that another command may have written at
 * the same time, says nothing about this one.
 */
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { isFolder, listFolder, matchReportFiles } from './report-places.ts';

/** File systems round times, down to two seconds. Files that had been there before are recognized as well. */
const ROUNDING_MILLISECONDS = 2000;

interface FileMark {
  readonly path: string;
  readonly writtenAt: number;
  /** Changes whenever the file is written again. */
  readonly mark: string;
}

/** The reports by their real paths, each once. A folder is a report of several files. */
type Reports = ReadonlyMap<string, readonly FileMark[]>;

export interface WrittenReports {
  readonly paths: readonly string[];
  /** Why they may not be the reports of the command, or not all of them. */
  readonly problem: string | undefined;
}

export class CommandReports {
  readonly #patterns: readonly string[];
  readonly #startedAt = Date.now();
  readonly #before: ReadonlySet<string>;
  #after: Reports = new Map();

  private constructor(patterns: readonly string[], before: Reports) {
    this.#patterns = patterns;
    this.#before = new Set([...before.values()].flat().map(({ mark }) => mark));
  }

  /** Looks at the reports before the command starts. */
  static async observe(patterns: readonly string[]): Promise<CommandReports> {
    return new CommandReports(patterns, await readReports(patterns));
  }

  /** To be called when the command has ended. Leaves out old reports. */
  async list(): Promise<WrittenReports> {
    this.#after = await readReports(this.#patterns);
    const oldFiles = new Map(
      [...this.#after].map(([report, files]) => [report, files.find((file) => this.#isOld(file))?.path]),
    );
    const paths = [...this.#after].flatMap(([report, files]) =>
      files.length > 0 && oldFiles.get(report) === undefined ? [report] : [],
    );
    const unmatchedPattern = await this.#findUnmatchedPattern();
    if (unmatchedPattern !== undefined)
      return { paths, problem: `No report matches ${makeVisibleLine(unmatchedPattern)}` };
    const oldReport = [...oldFiles.values()].find((path) => path !== undefined);
    if (oldReport === undefined) return { paths, problem: undefined };
    const problem = `The report ${makeVisibleLine(oldReport)} is older than the command. Delete old reports before it starts`;
    return { paths, problem };
  }

  /** Whether the reports are as they were when they were listed. */
  async areUnchanged(): Promise<boolean> {
    const toText = (reports: Reports) => JSON.stringify([...reports]);
    return toText(await readReports(this.#patterns)) === toText(this.#after);
  }

  #isOld({ writtenAt, mark }: FileMark): boolean {
    return this.#before.has(mark) || writtenAt < this.#startedAt - ROUNDING_MILLISECONDS;
  }

  async #findUnmatchedPattern(): Promise<string | undefined> {
    for (const pattern of this.#patterns) {
      const files = [...(await readReports([pattern])).values()].flat();
      if (files.length === 0) return pattern;
    }
    return undefined;
  }
}

async function readReports(patterns: readonly string[]): Promise<Reports> {
  const reports = new Map<string, readonly FileMark[]>();
  for (const path of await matchReportFiles(patterns)) {
    const files = isFolder(path) ? (await listFolder(path)).map((name) => join(path, name)) : [path];
    reports.set(realpathSync(path), files.map(readMark));
  }
  return reports;
}

function readMark(path: string): FileMark {
  const { mtimeMs, ctimeMs, size, ino } = statSync(path);
  return { path, writtenAt: mtimeMs, mark: JSON.stringify([realpathSync(path), mtimeMs, ctimeMs, size, ino]) };
}
