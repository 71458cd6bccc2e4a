/**
 * The spool: a file with everything that a reporter records, one JSON value per line. It is written before anything is
 * sent, and deleted when the service has stored everything. `rundown upload --spool` sends what is left.
 *
 * Anybody who may write into the folder, such as the cache of a CI job, can plant a spool. So a spool does not decide
 * where its results go, nor which files of the machine may be sent: see `findFileToSend`. The seal of a line only shows
 * that the line is whole and belongs to this spool.
 */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { getErrorMessage } from '../settings/failure.ts';
import type { TestFile } from './messages.ts';

export const SUFFIX = '.ndjson';
/** The suffix of spools that the service has refused for good, so that nobody tries to send them again and again. */
const REFUSED_SUFFIX = '.refused';

/** The format of spools. Those of release 0.1.0 name no format, and their lines have no seal. */
export const FORMAT = 2;

/** The request that starts the recording, without the key. */
export interface SpoolStart {
  readonly project: string;
  readonly machineId: string;
  readonly machines: number;
  readonly keepOpen: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

export type SpooledTest = readonly [group: string, spec: string, json: string];

/** A file on the disk. Files that were only in memory are not in the spool. */
export interface SpooledFile extends Omit<TestFile, 'content'> {
  readonly group: string;
  readonly spec: string;
  readonly path: string;
}

export interface SpoolEnd {
  readonly failed: boolean;
  readonly errors: readonly string[];
}

export interface Writer {
  readonly format: number;
  /** Tells this spool from others. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
}

export type Line =
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

/** Adds the seal as the last member of the JSON object, so that clients of release 0.1.0 can read the line as well. */
export function addSeal(id: string, json: string): string {
  const hash = createHash('sha256').update(`${id}\n${json}`).digest('hex').slice(0, SEAL_CHARACTERS);
  return `${json.slice(0, -1)},"seal":"${hash}"}`;
}
