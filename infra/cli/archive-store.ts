/** Where the files of an archive are: in a folder, or below a prefix of a bucket. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Bucket } from './bucket.ts';
import { UsageError } from './usage-error.ts';

export interface ArchiveStore {
  /** The folder or the `s3://` address, as the operator wrote it. */
  readonly place: string;
  /** Opens a file. Returns `undefined` if it is missing. */
  readonly open: (name: string) => Promise<Readable | undefined>;
  /** Writes a whole file or, if it is interrupted, nothing. Overwrites an existing file. */
  readonly write: (name: string, content: Readable | Buffer, bytes: number) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

const BUCKET = /^s3:\/\/([^/]+)(?:\/(.*))?$/;

/** The store in the folder, or below the `s3://` address, that the operator named. */
export function archiveAt(place: string): ArchiveStore {
  if (!place.startsWith('s3:')) return new FolderArchive(place);
  const [, bucket, prefix = ''] = BUCKET.exec(place) ?? [];
  if (bucket === undefined)
    throw new UsageError(`${place} is neither a folder nor an address of the form s3://<bucket>/<prefix>`);
  return new BucketArchive(place, new Bucket(bucket), prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Only the owner of an archive may read it. */
const PRIVATE = { mode: 0o600 };

class FolderArchive implements ArchiveStore {
  readonly place: string;

  constructor(folder: string) {
    this.place = folder;
  }

  async open(name: string): Promise<Readable | undefined> {
    const path = join(this.place, name);
    const found = await stat(path).catch(() => undefined);
    return found?.isFile() ? createReadStream(path) : undefined;
  }

  async write(name: string, content: Readable | Buffer): Promise<void> {
    const path = join(this.place, name);
    const unfinished = `${path}.unfinished`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (Buffer.isBuffer(content)) await writeFile(unfinished, content, PRIVATE);
    else await pipeline(content, createWriteStream(unfinished, PRIVATE));
    await rename(unfinished, path);
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.place, name), { force: true });
  }
}

class BucketArchive implements ArchiveStore {
  readonly place: string;
  readonly #bucket: Bucket;
  readonly #prefix: string;

  constructor(place: string, bucket: Bucket, prefix: string) {
    this.place = place;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async open(name: string): Promise<Readable | undefined> {
    return (await this.#bucket.open(this.#keyOf(name)))?.content;
  }

  write(name: string, content: Readable | Buffer, bytes: number): Promise<void> {
    return this.#bucket.store(this.#keyOf(name), { content, bytes, type: 'application/octet-stream' });
  }

  remove(name: string): Promise<void> {
    return this.#bucket.remove(this.#keyOf(name));
  }

  #keyOf(name: string): string {
    return this.#prefix === '' ? name : `${this.#prefix}/${name}`;
  }
}
