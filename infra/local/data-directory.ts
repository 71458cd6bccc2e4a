/** The folder where the local service keeps its data: who may use it now, and which version wrote it. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { CannotStart } from './cannot-start.ts';

/** Raised when what this version stores cannot be read by the last one, or the other way round. */
export const DATA_VERSION = 1;

/** Locks of this process. One that nothing refers to would be collected, and with it end. */
const held = new Set<DatabaseSync>();

export interface DataDirectory {
  readonly path: string;
  /** Lets another process use the folder. */
  release(): Promise<void>;
}

const LOCK = 'lock.db';
const Holder = z.object({ pid: z.number(), since: z.string() });
const Version = z.object({ dataVersion: z.number() });

/** Takes the folder for this process, making it if needed. Throws `CannotStart` when it is in use or of another version. */
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
 * Takes the folder whatever version it has. The lock is SQLite's, so the kernel's: it ends with the process that has it,
 * however that ends. The file beside it only tells people who that is.
 */
export async function holdDataDirectory(path: string): Promise<DataDirectory> {
  await mkdir(path, { recursive: true });
  const lock = new DatabaseSync(join(path, LOCK));
  const holderFile = join(path, 'lock.json');
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof Error && error.message.includes('locked')) throw new CannotStart(inUse(path, holderFile));
    throw error;
  }
  held.add(lock);
  await replaceFile(holderFile, { pid: process.pid, since: new Date().toISOString() });
  return {
    path,
    release: async () => {
      await rm(holderFile, { force: true });
      held.delete(lock);
      lock.close();
    },
  };
}

/** `.rundown` beside package.json, or where RUNDOWN_DATA says. */
export const dataPath = (): string => resolve(process.env.RUNDOWN_DATA ?? join(import.meta.dirname, '../../.rundown'));

/** Whether a service has ever held the folder. */
export const isDataDirectory = (path: string): boolean => existsSync(join(path, LOCK));

function inUse(path: string, holderFile: string): string {
  const holder = readHolder(holderFile);
  const who = holder ? `process ${holder.pid} (since ${holder.since})` : 'another process';
  const stop = holder ? `kill ${holder.pid}` : 'Ctrl-C in its terminal';
  return `The data in ${path} is in use by ${who}. Stop it (${stop}), or use another folder: RUNDOWN_DATA=/other/folder npm start`;
}

function readHolder(file: string): z.infer<typeof Holder> | undefined {
  try {
    return Holder.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

async function checkVersion(path: string): Promise<void> {
  const file = join(path, 'version.json');
  const found = await readVersion(file);
  if (found === 'none') return replaceFile(file, { dataVersion: DATA_VERSION });
  if (found === DATA_VERSION) return;
  throw new CannotStart(
    `The data in ${path} has format ${found}, this version of Rundown reads format ${DATA_VERSION}. ` +
      'Run "npm run reset" to start empty, or start the version of Rundown that wrote it.',
  );
}

async function readVersion(file: string): Promise<number | 'none' | 'unknown'> {
  const text = await readIfThere(file);
  if (text === undefined) return 'none';
  try {
    return Version.parse(JSON.parse(text)).dataVersion;
  } catch {
    return 'unknown';
  }
}

/** The file's text, or undefined when there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes JSON that only this user may read, whole or not at all. */
export async function replaceFile(file: string, value: object): Promise<void> {
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(partial, file);
}
