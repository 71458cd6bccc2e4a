/** The data folder of the local service: its lock and its data version. */

import { existsSync, readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { CannotStart, explainDamage, getErrorCode } from './cannot-start.ts';
import { PRIVATE_FILE, readData, replaceFile } from './json-files.ts';

const PRIVATE_FOLDER = 0o700;
/** The permission bits of all other users. */
const OTHERS = 0o077;

/** An earlier version may have created files that others can read. Skips symbolic links. */
async function makePrivate(folder: string): Promise<void> {
  await chmod(folder, PRIVATE_FOLDER);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makePrivate(path);
    else if (entry.isFile()) await restrict(path);
  }
}

/** Ignores files that disappear in the meantime: an embedded engine that is stopping may remove its own files. */
async function restrict(path: string): Promise<void> {
  try {
    const { mode } = await lstat(path);
    if (mode & OTHERS) await chmod(path, PRIVATE_FILE);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
}

/** Version of the stored format. Increase it with every incompatible change. */
export const DATA_VERSION = 1;

/** The locks that this process holds. The reference keeps garbage collection from releasing them. */
const heldLocks = new Set<DatabaseSync>();

export interface DataDirectory {
  readonly path: string;
  release(): Promise<void>;
}

const LOCK = 'lock.db';
const HOLDER = 'lock.json';
const VERSION = 'version.json';
/** A folder with one of these files is a data folder. */
const MARKS = [LOCK, VERSION];
const Holder = z.object({ pid: z.number(), since: z.string() });
const Version = z.object({ dataVersion: z.number() });

/** Creates the folder if needed. Throws `CannotStart` if it is in use, no data folder, or of another data version. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const directory = await holdDataDirectory(path);
  try {
    await checkVersion(path);
    return directory;
  } catch (error) {
    await directory.release();
    throw error;
  }
}

/**
 * Locks the folder, whatever its data version. The lock is SQLite's file lock, which the kernel releases however the
 * process ends. A file next to the lock tells people which process holds the lock.
 */
export async function holdDataDirectory(path: string): Promise<DataDirectory> {
  // Makes all files that this process and its engines create from now on accessible to this user only.
  process.umask(OTHERS);
  await mkdir(path, { recursive: true });
  await refuseForeign(path);
  const holderFile = join(path, HOLDER);
  const lock = openLock(join(path, LOCK), () => describeUse(path, holderFile));
  heldLocks.add(lock);
  await makePrivate(path);
  await replaceFile(holderFile, { pid: process.pid, since: new Date().toISOString() });
  return {
    path,
    release: async () => {
      await rm(holderFile, { force: true });
      heldLocks.delete(lock);
      lock.close();
    },
  };
}

function openLock(file: string, explain: () => string): DatabaseSync {
  const lock = new DatabaseSync(file);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (error instanceof Error && error.message.includes('locked')) throw new CannotStart(explain());
    throw explainDamage(file, error, 'Delete it and try again: it holds no data');
  }
}

/** Refuses a folder with other files, as a data folder becomes private, and `npm run reset` deletes it. */
async function refuseForeign(path: string): Promise<void> {
  const names = await readdir(path);
  if (names.length === 0 || MARKS.some((name) => names.includes(name))) return;
  throw new CannotStart(
    `${path} is not a data folder of Rundown, because it contains other files. Set RUNDOWN_DATA to an empty or new folder`,
  );
}

/** The path of the data folder: RUNDOWN_DATA, or `.rundown` beside package.json. */
export const getDataPath = (): string =>
  resolve(process.env.RUNDOWN_DATA ?? join(import.meta.dirname, '../../../.rundown'));

/** Whether a service has ever used the folder. */
export const isDataDirectory = (path: string): boolean => existsSync(join(path, LOCK));

function describeUse(path: string, holderFile: string): string {
  const holder = readHolder(holderFile);
  const who = holder ? `process ${holder.pid} (since ${holder.since})` : 'another process';
  const stop = holder ? `kill ${holder.pid}` : 'Ctrl-C in its terminal';
  return `The data in ${path} is in use by ${who}. Stop it (${stop}), or set RUNDOWN_DATA to another folder`;
}

function readHolder(file: string): z.infer<typeof Holder> | undefined {
  try {
    return Holder.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

async function checkVersion(path: string): Promise<void> {
  const file = join(path, VERSION);
  const fix =
    'If this version of Rundown wrote the data, delete the file and start again. Otherwise run "npm run reset" to start empty';
  const storedVersion = await readData(file, Version, fix);
  if (storedVersion === undefined) return replaceFile(file, { dataVersion: DATA_VERSION });
  if (storedVersion.dataVersion === DATA_VERSION) return;
  throw new CannotStart(
    `The data in ${path} has format ${storedVersion.dataVersion}, but this version of Rundown reads format ${DATA_VERSION}. ` +
      'Run "npm run reset" to start empty, or start the version of Rundown that wrote the data',
  );
}
