/**
 * The spool: a file with everything that a reporter records, one JSON value per line. It is written before anything is
 * sent, and deleted when the service has stored everything. `rundown upload --spool` sends what is left.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../settings/failure.ts';
import type { TestFile } from './messages.ts';

const SUFFIX = '.ndjson';

/** The request that starts the recording, without the key. */
export interface SpoolStart {
  readonly project: string;
  readonly machineId: string;
  readonly machines: number;
  readonly keepOpen: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

type SpooledTest = readonly [group: string, spec: string, json: string];

/** A file on the disk. Files that were only in memory are not in the spool. */
interface SpooledFile extends Omit<TestFile, 'content'> {
  readonly group: string;
  readonly spec: string;
  readonly path: string;
}

export interface SpoolEnd {
  readonly failed: boolean;
  readonly errors: readonly string[];
}

type Line =
  | { readonly writer: { readonly pid: number; readonly host: string } }
  /** The start of the recording, or a further start with groups that were not known before. */
  | { readonly start: SpoolStart }
  | { readonly test: SpooledTest }
  | { readonly file: SpooledFile }
  /** The number of a batch that is about to be sent. */
  | { readonly sent: number }
  | { readonly end: SpoolEnd };

export class Spool {
  readonly path: string;
  #file: number | undefined;
  /** Why the spool cannot be written. The results are then only in memory. */
  problem: string | undefined;

  /** Creates a spool in the folder, or opens an existing spool again. */
  constructor(at: { readonly folder: string; readonly start: SpoolStart } | { readonly path: string }) {
    this.path = 'path' in at ? at.path : join(at.folder, `${at.start.machineId.replaceAll(/[^\w-]/g, '_')}${SUFFIX}`);
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      this.#file = openSync(this.path, 'a', 0o600);
    } catch (error) {
      this.problem = messageOf(error);
    }
    if (!('start' in at)) return;
    this.add({ writer: { pid: process.pid, host: hostname() } });
    this.add({ start: at.start });
  }

  /** Deletes the file, because the service has stored everything. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  add(line: Line): void {
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.problem = messageOf(error);
      this.close();
    }
  }
}

/** A recording that was not sent completely. */
export interface Spooled {
  readonly path: string;
  readonly start: SpoolStart;
  readonly tests: readonly SpooledTest[];
  readonly files: readonly SpooledFile[];
  /** The number of batches that may have been sent. */
  readonly batches: number;
  /** Absent if the process was killed before its end. */
  readonly end: SpoolEnd | undefined;
}

/**
 * The spools in a folder: those that wait to be sent, and those of test processes that still run. A process that was
 * killed before it wrote anything leaves an empty spool, which is neither.
 */
export function spooledIn(folder: string): Readonly<Record<'waiting' | 'growing', readonly string[]>> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(SUFFIX)) : [];
  const paths = names.map((name) => join(folder, name)).filter((path) => !isEmpty(path));
  const growing = paths.filter(isGrowing);
  return { growing, waiting: paths.filter((path) => !growing.includes(path)) };
}

/** Whether the spool has no content. A spool that was deleted in the meantime counts as empty. */
const isEmpty = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;

const WRITER_BYTES = 1024;

/** Whether the process that began the spool still runs on this machine, or has just deleted its spool. */
function isGrowing(path: string): boolean {
  try {
    const { writer } = JSON.parse(firstLineOf(path));
    return writer.host === hostname() && isRunning(writer.pid);
  } catch {
    // The first line was cut off by a kill or names no writer, or the spool was deleted in the meantime.
    return !existsSync(path);
  }
}

function firstLineOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const begin = Buffer.alloc(WRITER_BYTES);
    return begin.toString('utf8', 0, readSync(file, begin)).split('\n', 1)[0] ?? '';
  } finally {
    closeSync(file);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Reads a spool. If the process was killed while it wrote the last line, that line is ignored. Returns `undefined` if
 * the spool has no start.
 */
export function readSpool(path: string): Spooled | undefined {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text): Line[] => {
      try {
        return text === '' ? [] : [JSON.parse(text)];
      } catch {
        return [];
      }
    });
  const starts = lines.flatMap((line) => ('start' in line ? line.start : []));
  const [first] = starts;
  if (!first) return undefined;
  const groups = starts.flatMap(({ body }) => body['groups'] ?? []);
  const start = { ...first, body: { ...first.body, groups } };
  const sent = lines.flatMap((line) => ('sent' in line ? line.sent : []));
  return {
    path,
    start,
    tests: lines.flatMap((line) => ('test' in line ? [line.test] : [])),
    files: lines.flatMap((line) => ('file' in line ? line.file : [])),
    batches: sent.reduce((most, sequence) => Math.max(most, sequence + 1), 0),
    end: lines.flatMap((line) => ('end' in line ? line.end : []))[0],
  };
}
