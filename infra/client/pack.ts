/**
 * Packs the folder of an npm package as `npm pack` does. Equal folders give equal bytes, because the lock files of
 * projects that install the package contain its hash. So the archive contains no owners and one fixed time, and its
 * files are sorted by name.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, matchesGlob, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { BLOCK_BYTES, buildTarEntry } from './tar.ts';

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
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((name) => ALWAYS.test(name) || isListed(name))
    .sort();
}
