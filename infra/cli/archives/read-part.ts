/** Reads the parts of an archive. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import type { Part } from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';
import { BadArchive, COPY_OR_EXPORT_AGAIN } from './bad-archive.ts';

/** A row of DynamoDB has at most 400 KB. As a line of JSON it is longer, because of types, escapes and base64. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** Throws `BadArchive` unless the part is exactly what the manifest says. Some checks run only after the last line. */
export async function readPart(
  store: ArchiveStore,
  part: Part,
  onLines: (lines: readonly string[]) => Promise<void>,
): Promise<void> {
  const { name, bytes, contentBytes } = part;
  const stream = await store.open(name);
  if (!stream) throw new BadArchive(`${name} is missing. ${COPY_OR_EXPORT_AGAIN}`);
  const hash = createHash('sha256');
  const counts = { bytes: 0, content: 0, lines: 0 };
  const pendingLines: string[] = [];
  const splitter = new LineSplitter((line, isWhole) => {
    if (!isWhole)
      throw new BadArchive(`${name} has a line that is longer than any that an export writes. Copy the archive again`);
    pendingLines.push(line.toString('utf8'));
  }, LONGEST_LINE);
  const flush = async (): Promise<void> => {
    const lines = pendingLines.splice(0);
    counts.lines += lines.length;
    if (lines.length > 0) await onLines(lines);
  };
  const checkBytes = async function* (source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      counts.bytes += piece.length;
      if (counts.bytes > bytes)
        throw new BadArchive(`${name} is larger than the manifest says. ${COPY_OR_EXPORT_AGAIN}`);
      hash.update(piece);
      yield piece;
    }
  };
  const read = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of source) {
      counts.content += piece.length;
      if (counts.content > contentBytes)
        throw new BadArchive(`${name} contains more data than the manifest says. ${COPY_OR_EXPORT_AGAIN}`);
      splitter.push(piece);
      await flush();
    }
    splitter.end();
    await flush();
  };
  try {
    await pipeline(stream, checkBytes, createGunzip(), read);
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(Z_|ERR_BUFFER|ERR_ZLIB)/.test(String(error.code)))
      throw new BadArchive(`${name} is damaged: ${error.message}. ${COPY_OR_EXPORT_AGAIN}`);
    throw error;
  }
  if (hash.digest('hex') !== part.sha256)
    throw new BadArchive(`${name} does not match its checksum. ${COPY_OR_EXPORT_AGAIN}`);
  if (counts.lines !== part.lines || counts.content !== contentBytes)
    throw new BadArchive(
      `${name} does not have the number of lines and bytes that the manifest says. ${COPY_OR_EXPORT_AGAIN}`,
    );
}
