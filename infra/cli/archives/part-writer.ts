/** Writes the parts of an archive. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip, type Gzip } from 'node:zlib';
import type { Part, PartKind } from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';

export type PartWriter = ReturnType<typeof makePartWriter>;

/** Holds the compressed content of one part in memory. */
export function makePartWriter(kind: PartKind) {
  let gzip: Gzip | undefined;
  let pieces: Buffer[] = [];
  let lines = 0;
  let contentBytes = 0;
  return {
    kind,
    /** The uncompressed size of the lines since the last part. */
    contentBytes: () => contentBytes,
    add: async (line: string): Promise<void> => {
      gzip ??= createGzip().on('data', (piece: Buffer) => pieces.push(piece));
      lines += 1;
      contentBytes += Buffer.byteLength(line);
      if (!gzip.write(line)) await once(gzip, 'drain');
    },
    /** Returns `undefined` if there are no lines since the last part. */
    flush: async (store: ArchiveStore, number: number): Promise<Part | undefined> => {
      if (!gzip) return undefined;
      const gzipEnd = once(gzip, 'end');
      gzip.end();
      await gzipEnd;
      const content = Buffer.concat(pieces);
      const part: Part = {
        kind,
        name: `${kind}-${String(number).padStart(6, '0')}.ndjson.gz`,
        sha256: createHash('sha256').update(content).digest('hex'),
        bytes: content.length,
        lines,
        contentBytes,
      };
      await store.write(part.name, content, content.length);
      gzip = undefined;
      pieces = [];
      lines = 0;
      contentBytes = 0;
      return part;
    },
  };
}
