/** Where the files of an archive are: in a folder, or below a prefix of a bucket. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { Bucket } from './bucket.ts';

export interface ArchiveStore {
  /** The folder or the `s3://` address, as the operator wrote it. */
  readonly place: string;
  readonly open: (name: string) => Promise<Readable | undefined>;
  /** Writes a whole file or, if it is interrupted, nothing. Overwrites an existing file. */
  readonly write: (name: string, content: Readable | Buffer, bytes: number) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

/** Only the owner of an archive may read it. */
const PRIVATE = { mode: 0o600 };

export function makeArchiveStore(place: string): ArchiveStore {
  if (!place.startsWith('s3:')) return makeFolderStore(place);
  const [, name, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(place) ?? [];
  if (name === undefined)
    throw new UsageError(`${place} is neither a folder nor an address of the form s3://<bucket>/<prefix>`);
  const bucket = new Bucket(name);
  const folder = prefix.replace(/\/$/, '');
  const keyOf = (file: string): string => (folder === '' ? file : `${folder}/${file}`);
  return {
    place,
    open: async (file) => (await bucket.open(keyOf(file)))?.content,
    write: (file, content, bytes) => bucket.store(keyOf(file), { content, bytes, type: 'application/octet-stream' }),
    remove: (file) => bucket.remove(keyOf(file)),
  };
}

const makeFolderStore = (folder: string): ArchiveStore => ({
  place: folder,
  open: async (name) => {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    return stats?.isFile() ? createReadStream(path) : undefined;
  },
  write: async (name, content) => {
    const path = join(folder, name);
    const temporaryPath = `${path}.unfinished`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (Buffer.isBuffer(content)) await writeFile(temporaryPath, content, PRIVATE);
    else await pipeline(content, createWriteStream(temporaryPath, PRIVATE));
    await rename(temporaryPath, path);
  },
  remove: (name) => rm(join(folder, name), { force: true }),
});
