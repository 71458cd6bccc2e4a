/** Reads and writes JSON files, and checks what they contain. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type * as z from 'zod';
import { CannotStart, getErrorCode } from './cannot-start.ts';

/** Only this user may read the files, because they contain signing keys and credentials. */
export const PRIVATE_FILE = 0o600;

/** Returns `undefined` if the file does not exist. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Parses JSON. `undefined` if the text is missing, is not JSON, or does not match the schema. */
export function parseData<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the content of a JSON file, or `undefined` if it does not exist. Throws `CannotStart` if it is damaged. */
export async function readData<T>(file: string, schema: z.ZodType<T>, fix: string): Promise<T | undefined> {
  const text = await readIfThere(file);
  const content = parseData(schema, text);
  if (text !== undefined && content === undefined) throw new CannotStart(`${file} is damaged. ${fix}`);
  return content;
}

/** Atomically writes JSON that only this user may read. */
export async function replaceFile(file: string, value: object): Promise<void> {
  const partialFile = `${file}.${process.pid}`;
  await writeFile(partialFile, `${JSON.stringify(value, null, 2)}\n`, { mode: PRIVATE_FILE });
  await rename(partialFile, file);
}
