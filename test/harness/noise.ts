/** Incompressible bytes, the same in every run: an encrypted stream of zeros. */
import { createCipheriv } from 'node:crypto';

const KEY = Buffer.alloc(16, 'noise');
let calls = 0;

/** Returns incompressible bytes, which are different at each call. */
export function noise(bytes: number): Buffer {
  calls += 1;
  const start = Buffer.alloc(16);
  start.writeUInt32BE(calls);
  return createCipheriv('aes-128-ctr', KEY, start).update(Buffer.alloc(bytes));
}
