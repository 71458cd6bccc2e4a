/**
 * Reads the entries of a zip archive in one forward pass (APPNOTE.TXT 4.3). `Unzip` of the library fflate is not
 * suitable. In traces that Playwright has merged, the size of an entry follows its bytes, and `Unzip` assumes that such
 * an entry ends at the next zip signature. If the entry is itself an archive, such as a spreadsheet that the page
 * fetched, `Unzip` reports the entries in it. It also keeps skipped bytes in memory, and does not report that an entry
 * is encrypted.
 */

import type { ByteReader } from './byte-reader.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import { RefusedArchive } from './refusal.ts';

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  /** The compressed bytes of the entry. The caller must read either all of them or none. */
  readonly bytes: AsyncGenerator<Buffer, void>;
  /** The inflated size that the archive states for the entry. It may be known only after all bytes have been read. */
  readonly claimedSize: () => number;
}

const LOCAL_HEADER = { signature: 0x04034b50, bytes: 30 };
const CENTRAL_HEADER = { signature: 0x02014b50, bytes: 46 };
const DESCRIPTOR = { signature: 0x08074b50, bytes: 16, zip64Bytes: 24 };
const ZIP64_END = { signature: 0x06064b50, bytes: 12 };
const ZIP64_LOCATOR = { signature: 0x07064b50, bytes: 20 };
const END = { signature: 0x06054b50, bytes: 22 };
const SIGNATURE_BYTES = 4;

/** Bits of the flags of an entry. */
const ENCRYPTED = 0b0001;
const SIZE_FOLLOWS = 0b1000;
const ZIP64_EXTRA = 0x0001;
const IN_ZIP64_EXTRA = 0xffffffff;

/** Yields the entries in file order. Throws unless the archive has a valid end record with no bytes after it. */
export async function* readZipEntries(
  bytes: ByteReader,
  most: number = ARCHIVE_LIMITS.entries,
): AsyncGenerator<ZipEntry, void> {
  if (await bytes.atEnd()) throw new RefusedArchive('notZip', 'The file is empty');
  const first = await peekSignature(bytes);
  if (first !== LOCAL_HEADER.signature && first !== END.signature)
    throw new RefusedArchive('notZip', 'The file does not begin like a zip archive');

  let entries = 0;
  while ((await peekSignature(bytes)) === LOCAL_HEADER.signature) {
    if (entries === most) throw new RefusedArchive('tooManyEntries', `The archive has more than ${most} entries`);
    const entry = await openEntry(bytes);
    yield entry;
    // Passes what the caller has not read.
    for await (const _ of entry.bytes);
    entries += 1;
  }
  await passDirectory(bytes, entries);
}

const peekSignature = async (bytes: ByteReader): Promise<number> => (await bytes.peek(SIGNATURE_BYTES)).readUInt32LE(0);

const damaged = (detail: string) => new RefusedArchive('damaged', detail);

async function openEntry(bytes: ByteReader): Promise<ZipEntry> {
  const header = await bytes.peek(LOCAL_HEADER.bytes);
  const flags = header.readUInt16LE(6);
  const method = header.readUInt16LE(8);
  const nameEnd = LOCAL_HEADER.bytes + header.readUInt16LE(26);
  const end = nameEnd + header.readUInt16LE(28);
  const fullHeader = (await bytes.peek(end)).subarray(0, end);
  const name = fullHeader.toString('utf8', LOCAL_HEADER.bytes, nameEnd);
  const isEncrypted = (flags & ENCRYPTED) !== 0;
  await bytes.skip(end);
  if (flags & SIZE_FOLLOWS) {
    let inflatedSize = 0;
    const data = readUntilDescriptor(bytes, (size) => {
      inflatedSize = size;
    });
    return { name, method, encrypted: isEncrypted, bytes: data, claimedSize: () => inflatedSize };
  }
  const sizes = readSizes(fullHeader, fullHeader.subarray(nameEnd));
  return {
    name,
    method,
    encrypted: isEncrypted,
    bytes: readEntryBytes(bytes, sizes.stored),
    claimedSize: () => sizes.inflated,
  };
}

function readSizes(header: Buffer, extra: Buffer): { readonly stored: number; readonly inflated: number } {
  const storedSize = header.readUInt32LE(18);
  if (storedSize !== IN_ZIP64_EXTRA) return { stored: storedSize, inflated: header.readUInt32LE(22) };
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    // In the zip64 extra field of a local header, both sizes are present, the inflated one first.
    if (extra.readUInt16LE(at) === ZIP64_EXTRA && at + 20 <= extra.length)
      return { stored: Number(extra.readBigUInt64LE(at + 12)), inflated: Number(extra.readBigUInt64LE(at + 4)) };
  }
  throw damaged('An entry of the archive has no size');
}

async function* readEntryBytes(bytes: ByteReader, size: number): AsyncGenerator<Buffer, void> {
  let left = size;
  while (left > 0) {
    const part = (await bytes.peek(1)).subarray(0, left);
    await bytes.skip(part.length);
    left -= part.length;
    yield part;
  }
}

/** Reads an entry whose size follows. Only its own descriptor states the number of bytes read so far, no nested one. */
async function* readUntilDescriptor(bytes: ByteReader, claim: (size: number) => void): AsyncGenerator<Buffer, void> {
  let size = 0;
  while (true) {
    const ahead = await bytes.peek(DESCRIPTOR.zip64Bytes + SIGNATURE_BYTES);
    const { at, descriptor } = findDescriptor(ahead, size);
    const part = ahead.subarray(0, at);
    if (descriptor > 0) claim(readClaimedSize(ahead, at, descriptor));
    await bytes.skip(at + descriptor);
    size += at;
    if (at > 0) yield part;
    if (descriptor > 0) return;
  }
}

const MARK = Buffer.alloc(SIGNATURE_BYTES);
MARK.writeUInt32LE(DESCRIPTOR.signature);

/** Returns how many buffered bytes surely belong to the entry, and the length of the descriptor after them, else 0. */
function findDescriptor(ahead: Buffer, size: number): { readonly at: number; readonly descriptor: number } {
  const last = ahead.length - DESCRIPTOR.zip64Bytes - SIGNATURE_BYTES;
  let at = ahead.indexOf(MARK);
  for (; at >= 0 && at <= last; at = ahead.indexOf(MARK, at + 1)) {
    const descriptor = measureDescriptor(ahead, at, size + at);
    if (descriptor > 0) return { at, descriptor };
  }
  return { at: at >= 0 ? at : ahead.length - (SIGNATURE_BYTES - 1), descriptor: 0 };
}

/** The length of the data descriptor at this position, if it ends an entry of `size` bytes, else 0. */
function measureDescriptor(ahead: Buffer, at: number, size: number): number {
  if (ahead.readUInt32LE(at + 8) !== size) return 0;
  if (isHeader(ahead.readUInt32LE(at + DESCRIPTOR.bytes))) return DESCRIPTOR.bytes;
  return isHeader(ahead.readUInt32LE(at + DESCRIPTOR.zip64Bytes)) ? DESCRIPTOR.zip64Bytes : 0;
}

const readClaimedSize = (ahead: Buffer, at: number, length: number): number =>
  length === DESCRIPTOR.bytes ? ahead.readUInt32LE(at + 12) : Number(ahead.readBigUInt64LE(at + 16));

const isHeader = (signature: number): boolean =>
  signature === LOCAL_HEADER.signature || signature === CENTRAL_HEADER.signature;

/** Skips the central directory and the end record. Throws unless the directory lists `entries` entries. */
async function passDirectory(bytes: ByteReader, entries: number): Promise<void> {
  let listedEntries = 0;
  for (; (await peekSignature(bytes)) === CENTRAL_HEADER.signature; listedEntries += 1) {
    const header = await bytes.peek(CENTRAL_HEADER.bytes);
    const texts = header.readUInt16LE(28) + header.readUInt16LE(30) + header.readUInt16LE(32);
    await bytes.skip(CENTRAL_HEADER.bytes + texts);
  }
  if ((await peekSignature(bytes)) === ZIP64_END.signature) {
    const rest = (await bytes.peek(ZIP64_END.bytes)).readBigUInt64LE(4);
    await bytes.skip(ZIP64_END.bytes + Number(rest));
  }
  if ((await peekSignature(bytes)) === ZIP64_LOCATOR.signature) await bytes.skip(ZIP64_LOCATOR.bytes);
  if (listedEntries !== entries || (await peekSignature(bytes)) !== END.signature)
    throw damaged('The central directory is missing, or does not match the entries of the archive');
  await bytes.skip(END.bytes + (await bytes.peek(END.bytes)).readUInt16LE(20));
  if (!(await bytes.atEnd())) throw damaged('There are bytes after the end of the archive');
}
