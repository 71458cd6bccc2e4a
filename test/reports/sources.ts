/** Sample files, and byte sources in memory. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '#shared/reports/byte-source.ts';

const SAMPLES = join(import.meta.dirname, '../samples/reports');

export const sourceOf = (bytes: Uint8Array, chunk = 64 * 1024): ByteSource => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
  stream: async function* () {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  },
});

export const sampleFile = (name: string): Promise<Buffer> => readFile(join(SAMPLES, name));
