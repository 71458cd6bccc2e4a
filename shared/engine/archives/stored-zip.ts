/** Writes a zip archive without compression. The same files always give the same bytes. */
import { crc32 } from 'node:zlib';

export interface ArchivedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** The flags of an entry. Bit 11: names are UTF-8. */
const FLAGS = 0x0800;
/** The date of all entries: 1 January 1980, the earliest date in the format. */
const DATE = 0x0021;

const encodeNumbers = (...all: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer => {
  const buffer = Buffer.alloc(all.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of all) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
};

/** The fields that a local file header and a central directory header have in common. */
const encodeHeaderFields = ({ name, bytes }: ArchivedFile): Buffer =>
  encodeNumbers(
    [VERSION, 2],
    [FLAGS, 2],
    [0, 2],
    [0, 2],
    [DATE, 2],
    [crc32(bytes), 4],
    [bytes.length, 4],
    [bytes.length, 4],
    [Buffer.byteLength(name), 2],
    [0, 2],
  );

/** The archive must have fewer than 65,536 files and be smaller than 4 GB. */
export function buildZip(files: readonly ArchivedFile[]): Buffer {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const localEntry = [encodeNumbers([LOCAL, 4]), encodeHeaderFields(file), name, file.bytes];
    const place = encodeNumbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]);
    directory.push(encodeNumbers([CENTRAL, 4], [VERSION, 2]), encodeHeaderFields(file), place, name);
    parts.push(...localEntry);
    offset += localEntry.reduce((sum, { length }) => sum + length, 0);
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const counts = [
    [files.length, 2],
    [files.length, 2],
  ] as const;
  return Buffer.concat([
    ...parts,
    ...directory,
    encodeNumbers([END, 4], [0, 2], [0, 2], ...counts, [size, 4], [offset, 4], [0, 2]),
  ]);
}
