/**
 * Builds large compressed files that repeat one block, so that compressing them takes only as long as compressing one
 * block.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Deflates a block without ending the stream, so that any number of blocks can follow. */
const openDeflate = (block: string | Buffer): Buffer => deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });

export interface Content {
  readonly begin?: string;
  readonly block: Buffer;
  readonly times: number;
  readonly end?: string;
}

/** The content and its deflated form, to put into an archive. */
export function repeated(of: Content): { readonly content: Buffer; readonly compressed: Buffer } {
  const { begin = '', block, times, end = '' } = of;
  const content = Buffer.concat([Buffer.from(begin), Buffer.alloc(block.length * times, block), Buffer.from(end)]);
  return { content, compressed: deflated(of) };
}

/** The content as a gzip file. Never holds the whole content in memory. */
export function gzipOf(of: Content): Buffer {
  const { begin = '', block, times, end = '' } = of;
  let checksum = crc32(begin);
  for (let index = 0; index < times; index += 1) checksum = crc32(block, checksum);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(end, checksum), 0);
  trailer.writeUInt32LE(Buffer.byteLength(begin) + block.length * times + Buffer.byteLength(end), 4);
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]), deflated(of), trailer]);
}

function deflated({ begin = '', block, times, end = '' }: Content): Buffer {
  const deflated = openDeflate(block);
  return Buffer.concat([openDeflate(begin), ...Array.from({ length: times }, () => deflated), deflateRawSync(end)]);
}
