/** The tar format "ustar" of POSIX: a header of one block per file, then its content, filled up to whole blocks. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export const BLOCK_BYTES = 512;
const MAX_NAME_BYTES = 100;
/** The modification time that npm gives to all packed files, in October 1985. */
const MODIFIED_SECONDS = 499_162_500;

export async function buildTarEntry(folder: string, file: string): Promise<Buffer> {
  const path = join(folder, file);
  const [content, { mode }] = await Promise.all([readFile(path), stat(path)]);
  const isProgram = (mode & 0o100) !== 0;
  const filling = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([
    buildTarHeader(`package/${file}`, content.length, isProgram ? 0o755 : 0o644),
    content,
    filling,
  ]);
}

function buildTarHeader(name: string, bytes: number, mode: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new Error(`The path ${name} is longer than ${MAX_NAME_BYTES} bytes: give the file a shorter name`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write(formatOctal(mode, 8), 100);
  header.write(formatOctal(0, 8), 108);
  header.write(formatOctal(0, 8), 116);
  header.write(formatOctal(bytes, 12), 124);
  header.write(formatOctal(MODIFIED_SECONDS, 12), 136);
  // The checksum is computed with spaces in its own place.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${formatOctal(checksum, 7)} `, 148);
  return header;
}

/** A number in octal, as the text of a field of this size. The text ends with a zero byte. */
const formatOctal = (value: number, bytes: number): string => `${value.toString(8).padStart(bytes - 1, '0')}\0`;
