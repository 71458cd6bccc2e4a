/** Creates incompressible bytes by encrypting zeros. They are the same in every test run. */
import { createCipheriv } from 'node:crypto';

const KEY = Buffer.alloc(16, 'noise');
let calls = 0;

/** Returns incompressible bytes, which differ from call to call. */
export function noise(bytes: number): Buffer {
  calls += 1;
  const start = Buffer.alloc(16);
  start.writeUInt32BE(calls);
  return createCipheriv('aes-128-ctr', KEY, start).update(Buffer.alloc(bytes));
}
