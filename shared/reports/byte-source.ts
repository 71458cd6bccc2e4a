/** The bytes of a file, in memory or in the bucket. */
export interface ByteSource {
  readonly size: number;
  /** Reads the bytes from `start` (inclusive) to `end` (exclusive). */
  read(start: number, end: number): Promise<Uint8Array>;
  stream(): AsyncIterable<Uint8Array>;
}

export const makeMemorySource = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
  stream: async function* () {
    yield bytes;
  },
});
