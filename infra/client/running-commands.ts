/**
 * Lets commands that run at the same time know of each other. If two of them may write the same report, nobody can say
 * whose failures it has.
 */

import { appendFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { parseJson } from '#shared/engine/json.ts';
import { matchReportFiles } from './report-places.ts';
import { isRunning } from './reporters/read-spool.ts';
import { isObject } from './settings/json.ts';

interface RunningCommand {
  readonly pid: number;
  readonly folder: string;
  readonly patterns: readonly string[];
}

/** The file of a process has its own command in the first line, and below it those that started meanwhile. */
export class RunningCommands {
  readonly #path: string;
  /** Commands that had started before. */
  readonly #earlierCommands: readonly RunningCommand[];

  private constructor(path: string, earlierCommands: readonly RunningCommand[]) {
    this.#path = path;
    this.#earlierCommands = earlierCommands;
  }

  static join(patterns: readonly string[]): RunningCommands {
    const folder = join(tmpdir(), `rundown-run-${process.getuid?.() ?? 'user'}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const line = `${JSON.stringify({ pid: process.pid, folder: process.cwd(), patterns })}\n`;
    const ownPath = join(folder, String(process.pid));
    writeFileSync(ownPath, line);
    const earlierCommands: RunningCommand[] = [];
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (path === ownPath) continue;
      if (!isRunning(Number(name))) {
        rmSync(path, { force: true });
        continue;
      }
      appendFileSync(path, line);
      earlierCommands.push(...readCommands(path).filter(({ pid }) => pid === Number(name)));
    }
    return new RunningCommands(ownPath, earlierCommands);
  }

  /** A report that another command may have written, too. */
  async findSharedReport(reports: readonly string[]): Promise<string | undefined> {
    const laterCommands = readCommands(this.#path).filter(({ pid }) => pid !== process.pid);
    for (const { folder, patterns } of [...this.#earlierCommands, ...laterCommands]) {
      const matches = await matchReportFiles(patterns, folder);
      const paths = matches.map((path) => realpathSync(resolve(folder, path)));
      const report = reports.find((one) => paths.some((path) => isWithin(one, path) || isWithin(path, one)));
      if (report !== undefined) return report;
    }
    return undefined;
  }

  leave(): void {
    rmSync(this.#path, { force: true });
  }
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

function readCommands(path: string): RunningCommand[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const command = parseJson(line);
      if (!isObject(command)) return [];
      const { pid, folder, patterns } = command;
      return typeof folder === 'string' && Array.isArray(patterns)
        ? [{ pid: Number(pid), folder, patterns: patterns.map(String) }]
        : [];
    });
}
