/**
 * The spool: a file with everything that a reporter records, one JSON value per line. It is written before anything is
 * sent, and deleted when the service has stored everything. `rundown upload --spool` sends what is left.
 *
 * Anybody who may write into the folder, such as the cache of a CI job, can plant a spool. So a spool does not decide
 * where its results go, nor which files of the machine may be sent: see `findFileToSend`. The seal of a line only shows
 * that the line is whole and belongs to this spool.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { CommandFailure, getErrorMessage } from '../settings/failure.ts';
import { isObject } from '../settings/json.ts';
import type { TestFile } from './messages.ts';

const SUFFIX = '.ndjson';
/** The suffix of spools that the service has refused for good, so that nobody tries to send them again and again. */
const REFUSED_SUFFIX = '.refused';

/** The format of spools. Those of release 0.1.0 name no format, and their lines have no seal. */
const FORMAT = 2;

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

interface Writer {
  readonly format: number;
  /** Tells this spool from others. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
}

type Line =
  | { readonly writer: Writer }
  /** The start of the recording, or a further start with groups that were not known before. */
  | { readonly start: SpoolStart }
  | { readonly test: SpooledTest }
  | { readonly file: SpooledFile }
  /** The number of a batch that is about to be sent. */
  | { readonly sent: number }
  | { readonly end: SpoolEnd }
  /** Why the service refused the results, for people who read the file. */
  | { readonly refused: string };

export class Spool {
  path: string;
  readonly #id: string;
  #file: number | undefined;
  /** Why the spool cannot be written. The results are then only in memory. */
  problem: string | undefined;

  /** Creates a spool in the folder, or opens an existing spool again. */
  constructor(
    at: { readonly folder: string; readonly start: SpoolStart } | { readonly path: string; readonly id: string },
  ) {
    this.path = 'path' in at ? at.path : join(at.folder, `${at.start.machineId.replaceAll(/[^\w-]/g, '_')}${SUFFIX}`);
    this.#id = 'id' in at ? at.id : randomUUID();
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      this.#file = openSync(this.path, 'a', 0o600);
      // The last line may have been cut off. What follows must not become a part of it.
      if ('id' in at) writeSync(this.#file, '\n');
    } catch (error) {
      this.problem = getErrorMessage(error);
    }
    if (!('start' in at)) return;
    this.add({ writer: { format: FORMAT, id: this.#id, pid: process.pid, host: hostname() } });
    this.add({ start: at.start });
  }

  /** Deletes the file, because the service has stored everything. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }

  /** Keeps the file under a name that is no longer sent. */
  setAside(reason: string): void {
    this.add({ refused: reason });
    this.close();
    this.path = setAside(this.path);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  add(line: Line): void {
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, `${addSeal(this.#id, JSON.stringify(line))}\n`);
    } catch (error) {
      this.problem = getErrorMessage(error);
      this.close();
    }
  }
}

/** Renames a spool that can never be sent. Returns its new path, or the old one if it cannot be renamed. */
export function setAside(path: string): string {
  if (!path.endsWith(SUFFIX)) return path;
  const aside = `${path.slice(0, -SUFFIX.length)}${REFUSED_SUFFIX}`;
  try {
    renameSync(path, aside);
    return aside;
  } catch {
    return path;
  }
}

const SEAL_CHARACTERS = 16;
const SEAL = /,"seal":"[0-9a-f]{16}"\}$/;

/** Adds the seal as the last member of the JSON object, so that clients of release 0.1.0 can read the line as well. */
function addSeal(id: string, json: string): string {
  const hash = createHash('sha256').update(`${id}\n${json}`).digest('hex').slice(0, SEAL_CHARACTERS);
  return `${json.slice(0, -1)},"seal":"${hash}"}`;
}

const isSealed = (id: string, text: string): boolean => text === addSeal(id, text.replace(SEAL, '}'));

/** A recording that was not sent completely. */
export interface SpoolContent {
  readonly path: string;
  readonly id: string;
  readonly start: SpoolStart;
  readonly tests: readonly SpooledTest[];
  readonly files: readonly SpooledFile[];
  /** The number of batches that may have been sent. */
  readonly batches: number;
  /** Absent if the process was killed before its end. */
  readonly end: SpoolEnd | undefined;
  /** The number of lines that were damaged before the end. What they said is lost. */
  readonly damagedLines: number;
}

/** A process that was killed before it wrote anything leaves an empty spool, which neither waits nor grows. */
export function listSpools(folder: string): Readonly<Record<'waiting' | 'growing', readonly string[]>> {
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
    const { writer } = JSON.parse(readFirstLine(path));
    return writer.host === hostname() && isRunning(writer.pid);
  } catch {
    // The first line was cut off by a kill or names no writer, or the spool was deleted in the meantime.
    return !existsSync(path);
  }
}

const readFirstLine = (path: string): string => readBeginning(path).split('\n', 1)[0] ?? '';

function readBeginning(path: string): string {
  const file = openSync(path, 'r');
  try {
    const begin = Buffer.alloc(WRITER_BYTES);
    return begin.toString('utf8', 0, readSync(file, begin));
  } finally {
    closeSync(file);
  }
}

/** The project to which the results of a spool belong. `undefined` if the beginning of the file does not say so. */
export function findSpoolProject(path: string): string | undefined {
  try {
    return /^\{"start":\{"project":"([\w-]+)"/m.exec(readBeginning(path))?.[1];
  } catch {
    // Somebody has deleted it since, or must not read it.
    return undefined;
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Reads a spool. Returns `undefined` if it has no start. Only lines that are whole and belong to this spool are read. If
 * the process was killed while it wrote the last line, that line does not count as damaged.
 */
export function readSpool(path: string): SpoolContent | undefined {
  const texts = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const { format = 1, id = '' } = readWriter(texts[0]) ?? {};
  if (format > FORMAT)
    throw new CommandFailure(
      `${path} was written by a newer version of this client`,
      'Install that version, and run the command again',
    );
  const lines: Line[] = [];
  let damagedLines = 0;
  let hasEnded = false;
  for (const [index, text] of texts.entries()) {
    const line = format === 1 || isSealed(id, text) ? readLine(text) : undefined;
    if (line) {
      lines.push(line);
      hasEnded ||= 'end' in line;
    } else if (index < texts.length - 1 && !hasEnded) damagedLines += 1;
  }
  const starts = lines.flatMap((line) => ('start' in line ? line.start : []));
  const [first] = starts;
  if (!first) return undefined;
  const groups = starts.flatMap(({ body }) => body['groups'] ?? []);
  const start = { ...first, body: { ...first.body, groups } };
  const sequences = lines.flatMap((line) => ('sent' in line ? line.sent : []));
  return {
    path,
    id,
    start,
    tests: lines.flatMap((line) => ('test' in line ? [line.test] : [])),
    files: lines.flatMap((line) => ('file' in line ? line.file : [])),
    batches: sequences.reduce((most, sequence) => Math.max(most, sequence + 1), 0),
    end: lines.flatMap((line) => ('end' in line ? line.end : []))[0],
    damagedLines,
  };
}

function readWriter(text: string | undefined): Writer | undefined {
  const line = text === undefined ? undefined : readLine(text);
  return line && 'writer' in line ? line.writer : undefined;
}

function readLine(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Checks that a line has what is read of it. Whoever reads a value inside a request or a test, checks it there. */
function isLine(line: unknown): line is Line {
  if (!isObject(line)) return false;
  const { writer, start, test, file, sent, end } = line;
  if (test !== undefined) return Array.isArray(test) && test.length === 3 && test.every(isText);
  if (sent !== undefined) return Number.isSafeInteger(sent);
  if (file !== undefined) return isObject(file) && [file['path'], file['group'], file['spec']].every(isText);
  if (start !== undefined)
    return isObject(start) && [start['project'], start['machineId']].every(isText) && isObject(start['body']);
  if (end !== undefined) return isObject(end) && Array.isArray(end['errors']);
  return isObject(writer);
}

const isText = (value: unknown): boolean => typeof value === 'string';

/**
 * Finds a file that a spool names. Only regular files below the folder are sent, and none of Git, which keeps the
 * credentials of a checkout. Links and `..` are resolved first, so that they do not lead out of the folder.
 */
export async function findFileToSend(
  path: string,
  folder: string,
): Promise<{ readonly path: string } | { readonly problem: string; readonly isKept: boolean }> {
  try {
    const [file, root] = await Promise.all([realpath(path), realpath(folder)]);
    const place = relative(root, file);
    const segments = place.split(sep);
    if (segments[0] === '..' || isAbsolute(place))
      return { problem: `its file is not below ${root}. Run the command in a folder that contains it`, isKept: true };
    if (segments.includes('.git')) return { problem: 'its file belongs to Git', isKept: false };
    if ((await stat(file)).isFile()) return { path: file };
  } catch {
    // Somebody has deleted it since, or must not read it.
  }
  return { problem: 'its file cannot be read', isKept: false };
}
