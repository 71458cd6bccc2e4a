/** Finds and reads the spools that reporters left behind. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CommandFailure } from '../settings/failure.ts';
import { isObject } from '../settings/json.ts';
import {
  addSeal,
  FORMAT,
  type Line,
  type SpoolEnd,
  type SpooledFile,
  type SpooledTest,
  type SpoolStart,
  SUFFIX,
  type Writer,
} from './spool.ts';

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

const SEAL = /,"seal":"[0-9a-f]{16}"\}$/;

const isSealed = (id: string, text: string): boolean => text === addSeal(id, text.replace(SEAL, '}'));
