/** Writes the parts of an archive. Holds the compressed content of one part in memory. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip, type Gzip } from 'node:zlib';
import type { Part, PartKind } from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';

export class PartWriter {
  readonly kind: PartKind;
  #gzip: Gzip | undefined;
  #pieces: Buffer[] = [];
  #lines = 0;
  #contentBytes = 0;

  constructor(kind: PartKind) {
    this.kind = kind;
  }

  /** The uncompressed size of the lines since the last part. */
  get contentBytes(): number {
    return this.#contentBytes;
  }

  async add(line: string): Promise<void> {
    this.#gzip ??= createGzip().on('data', (piece: Buffer) => this.#pieces.push(piece));
    this.#lines += 1;
    this.#contentBytes += Buffer.byteLength(line);
    if (!this.#gzip.write(line)) await once(this.#gzip, 'drain');
  }

  /** Writes the lines since the last part as the part with this number. Returns `undefined` if there are none. */
  async flush(store: ArchiveStore, number: number): Promise<Part | undefined> {
    if (!this.#gzip) return undefined;
    const ended = once(this.#gzip, 'end');
    this.#gzip.end();
    await ended;
    const content = Buffer.concat(this.#pieces);
    const part: Part = {
      kind: this.kind,
      name: `${this.kind}-${String(number).padStart(6, '0')}.ndjson.gz`,
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      lines: this.#lines,
      contentBytes: this.#contentBytes,
    };
    await store.write(part.name, content, content.length);
    this.#gzip = undefined;
    this.#pieces = [];
    this.#lines = 0;
    this.#contentBytes = 0;
    return part;
  }
}
