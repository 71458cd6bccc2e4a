/**
 * Packs the folder of an npm package as `npm pack` does. Equal folders give equal bytes, because the lock files of
 * projects that install the package contain its hash. So the archive contains no owners and one fixed time, and its
 * files are sorted by name.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';

const Manifest = z.object({ files: z.array(z.string()) });

/** Files that npm packs even if `files` of the manifest does not list them. */
const ALWAYS = /^(?:package\.json|(?:readme|licen[cs]e)(?:\.[^/]*)?)$/i;

export async function pack(folder: string): Promise<Buffer> {
  const names = await listPackedNames(folder);
  const entries = await Promise.all(names.map((name) => buildTarEntry(folder, name)));
  const archive = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 9 });
  // The header names the operating system of the machine that packed. 255 stands for an unknown one.
  archive[OPERATING_SYSTEM_AT] = 255;
  return archive;
}

/** Whether both archives have the same content. Another version of zlib may compress it to other bytes. */
export const containTheSame = (one: Uint8Array, other: Uint8Array): boolean =>
  gunzipSync(one).equals(gunzipSync(other));

const OPERATING_SYSTEM_AT = 9;

async function listPackedNames(folder: string): Promise<string[]> {
  const { files } = Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const isListed = (name: string) =>
    files.some((pattern) => name === pattern || matchesGlob(name, pattern) || name.startsWith(`${pattern}/`));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => ALWAYS.test(name) || isListed(name))
    .sort();
}

// The tar format "ustar" of POSIX: a header of one block per file, then its content, filled up to whole blocks.

const BLOCK_BYTES = 512;
const MAX_NAME_BYTES = 100;
/** The modification time that npm gives to all packed files, in October 1985. */
const MODIFIED_SECONDS = 499_162_500;

async function buildTarEntry(folder: string, file: string): Promise<Buffer> {
  const path = join(folder, file);
  const [content, { mode }] = await Promise.all([readFile(path), stat(path)]);
  const isProgram = (mode & 0o100) !== 0;
  const filling = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([
    buildTarHeader(`package/${file}`, content.length, isProgram ? 0o755 : 0o644),
    content,
    filling,
  ]);
}

function buildTarHeader(name: string, bytes: number, mode: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new Error(`The path ${name} is longer than ${MAX_NAME_BYTES} bytes: give the file a shorter name`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write(formatOctal(mode, 8), 100);
  header.write(formatOctal(0, 8), 108);
  header.write(formatOctal(0, 8), 116);
  header.write(formatOctal(bytes, 12), 124);
  header.write(formatOctal(MODIFIED_SECONDS, 12), 136);
  // The checksum is computed with spaces in its own place.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${formatOctal(checksum, 7)} `, 148);
  return header;
}

/** A number in octal, as the text of a field of this size. The text ends with a zero byte. */
const formatOctal = (value: number, bytes: number): string => `${value.toString(8).padStart(bytes - 1, '0')}\0`;
