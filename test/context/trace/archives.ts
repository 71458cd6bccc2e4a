/** Builds zip archives, including invalid ones, with control over the header fields that tests vary. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface Member {
  readonly name: string | Buffer;
  readonly content: string | Buffer;
  readonly method?: number;
  /** The bytes that replace the compressed content of an entry. */
  readonly compressed?: Buffer;
  readonly encrypted?: boolean;
  /** Where the sizes of the entry are: in its header, in its data descriptor, or as 64-bit values in one of the two. */
  readonly sizes?: 'header' | 'descriptor' | 'zip64' | 'zip64 descriptor';
  /** A false compressed size, which replaces the true size in the header. */
  readonly claimedBytes?: number;
  readonly extra?: Buffer;
}

interface Written {
  readonly local: readonly Buffer[];
  readonly bytes: number;
  /** The directory entry of the file, split into the bytes before and after the offset field. */
  readonly central: readonly [Buffer, Buffer];
}

/** Builds an archive with data descriptors, as Playwright writes it when it merges recordings. */
export const merged = (members: Readonly<Record<string, string | Buffer>>): Buffer =>
  archive(Object.entries(members).map(([name, content]) => ({ name, content, sizes: 'descriptor' })));

export const archive = (members: readonly Member[]): Buffer => Buffer.concat(partsOf(members));

/**
 * Builds an archive in parts, so that large contents are not copied. The last two parts are the last directory entry
 * and the end record.
 */
export function partsOf(members: readonly Member[]): readonly Buffer[] {
  // Large test archives repeat the same member, so each distinct member is compressed only once.
  const known = new Map([...new Set(members)].map((member) => [member, writeMember(member)]));
  const written = members.flatMap((member) => known.get(member) ?? []);
  let offset = 0;
  const directory = written.map(({ bytes, central: [before, after] }) => {
    const header = Buffer.concat([before, number(offset, 4), after]);
    offset += bytes;
    return header;
  });
  const directoryBytes = directory.reduce((total, header) => total + header.length, 0);
  return [...written.flatMap(({ local }) => local), ...directory, endOf(members.length, directoryBytes, offset)];
}

const number = (value: number | bigint, bytes: 2 | 4 | 8): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer.subarray(0, bytes);
};

export function endOf(entries: number, directoryBytes: number, offset: number, comment = ''): Buffer {
  const count = number(Math.min(entries, 0xffff), 2);
  const sizes = [number(directoryBytes, 4), number(offset, 4), number(comment.length, 2), Buffer.from(comment)];
  return Buffer.concat([Buffer.from('PK\x05\x06'), number(0, 4), count, count, ...sizes]);
}

const LATER = 0xffffffff;

function writeMember(member: Member): Written {
  const { method = 8, sizes = 'header', encrypted = false, extra = Buffer.alloc(0) } = member;
  const name = Buffer.from(member.name);
  const content = typeof member.content === 'string' ? Buffer.from(member.content) : member.content;
  const data = member.compressed ?? (method === 8 ? deflateRawSync(content) : content);
  const follows = sizes.endsWith('descriptor');
  const flags = (encrypted ? 1 : 0) | (follows ? 8 : 0);
  const checksum = number(crc32(content), 4);
  const at64 = Buffer.concat([number(1, 2), number(16, 2), number(content.length, 8), number(data.length, 8)]);
  const inHeader = member.claimedBytes ?? (follows ? 0 : sizes === 'zip64' ? LATER : data.length);
  const extras = sizes === 'zip64' ? Buffer.concat([extra, at64]) : extra;
  const common = Buffer.concat([
    number(20, 2),
    number(flags, 2),
    number(method, 2),
    number(0, 4),
    follows ? number(0, 4) : checksum,
    number(inHeader, 4),
    number(follows ? 0 : sizes === 'zip64' ? LATER : content.length, 4),
    number(name.length, 2),
    number(extras.length, 2),
  ]);
  const width = sizes === 'zip64 descriptor' ? 8 : 4;
  const descriptor = follows
    ? [Buffer.from('PK\x07\x08'), checksum, number(data.length, width), number(content.length, width)]
    : [];
  const local = [Buffer.concat([Buffer.from('PK\x03\x04'), common, name, extras]), data, ...descriptor];
  return {
    local,
    bytes: local.reduce((total, part) => total + part.length, 0),
    central: [
      Buffer.concat([
        Buffer.from('PK\x01\x02'),
        number(20, 2),
        common,
        number(0, 2),
        number(0, 2),
        number(0, 2),
        number(0, 4),
      ]),
      Buffer.concat([name, extras]),
    ],
  };
}
