/** Whether a request has the time to read a report. Compressed files are judged by what they say about themselves. */

import { IMPORT_LIMITS } from './limits.ts';

const TRAILER_BYTES = 4;

export function isSmall(file: Uint8Array): boolean {
  if (startsWith(file, [0x1f, 0x8b])) return inflatedBytes(file) <= IMPORT_LIMITS.small.bytes;
  return startsWith(file, [0x50, 0x4b])
    ? file.length <= IMPORT_LIMITS.smallZipBytes
    : file.length <= IMPORT_LIMITS.small.bytes;
}

const startsWith = (file: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => file[index] === byte);

const inflatedBytes = (file: Uint8Array): number =>
  file.length < TRAILER_BYTES
    ? 0
    : new DataView(file.buffer, file.byteOffset, file.length).getUint32(file.length - TRAILER_BYTES, true);
