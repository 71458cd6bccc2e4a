import { createInflateRaw } from 'node:zlib';
import { Readable } from 'node:stream';
import type { Allowance } from './allowance.ts';
import { Refusal } from './refusal.ts';
import type { Entry } from './zip-entries.ts';
export async function* inflated(entry: Entry, allowance: Allowance): AsyncGenerator<Buffer, void> {
  if (entry.method === 0) { for await (const part of entry.bytes) { allowance.inflate(part.length); yield part; } return; }
  const s = Readable.from(entry.bytes, { objectMode: false }).pipe(createInflateRaw({ chunkSize: 65536 }));
  for await (const part of s) { allowance.inflate(part.length); yield part; }
}
