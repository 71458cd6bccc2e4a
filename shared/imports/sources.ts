/** Gives access to the bytes of a report in a request or in the bucket. */
import { createHash } from 'node:crypto';
import type { ByteSource } from '#shared/reports/report.ts';
import type { Services } from '#shared/services.ts';

export const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
  stream: async function* () {
    yield bytes;
  },
});

export const contentHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * The bytes of a report in the bucket. Throws if the file disappears while it is being read. The queue then delivers
 * the message about the file again.
 */
export const storedSource = ({ artifacts }: Pick<Services, 'artifacts'>, key: string, size: number): ByteSource => {
  const gone = () => new Error(`The report ${key} disappeared while it was being read`);
  return {
    size,
    read: async (start, end) => {
      const bytes = await artifacts.range(key, start, end);
      if (!bytes) throw gone();
      return bytes;
    },
    stream: async function* () {
      const stream = await artifacts.open(key);
      if (!stream) throw gone();
      yield* stream;
    },
  };
};
