/** The files of runs in an archive. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

export const toContentName = (key: string): string => `files/${key}`;

/** Passes a stream on, and computes its checksum and size. */
export function measureStream(content: Readable) {
  const hash = createHash('sha256');
  let bytes = 0;
  const passPieces = async function* () {
    for await (const piece of content) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  };
  return {
    content: Readable.from(passPieces(), { objectMode: false }),
    result: () => ({ sha256: hash.digest('hex'), bytes }),
  };
}
