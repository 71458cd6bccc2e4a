/** Reads and writes the JSON documents of an archive: its manifest, and the progress of an unfinished export. */
import type { ArchiveStore } from './archive-store.ts';
import { BadArchive } from './bad-archive.ts';

export async function readDocument(store: ArchiveStore, name: string): Promise<Buffer | undefined> {
  const content = await store.open(name);
  if (!content) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    const buffer = Buffer.from(piece);
    bytes += buffer.length;
    if (bytes > LARGEST_DOCUMENT)
      throw new BadArchive(`${name} is larger than any that an export writes. Check the given folder or prefix`);
    pieces.push(buffer);
  }
  return Buffer.concat(pieces);
}

const LARGEST_DOCUMENT = 256 * 1024 * 1024;

export const writeDocument = (store: ArchiveStore, name: string, document: object): Promise<void> => {
  const content = Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
  return store.write(name, content, content.length);
};
