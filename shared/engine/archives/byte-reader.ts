/** A forward-only reader for a file that arrives in chunks of any size. */
import type { Allowance } from './allowance.ts';
import { RefusedArchive } from './refusal.ts';

/** Larger chunks are sliced, so that joining two chunks copies little and the time limit is checked often. */
const SLICE_BYTES = 64 * 1024;

export class ByteReader {
  readonly #slices: AsyncGenerator<Buffer, void>;
  #held: Buffer = Buffer.alloc(0);
  #passed = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, allowance: Allowance) {
    this.#slices = readSlices(chunks, allowance);
  }

  get position(): number {
    return this.#passed;
  }

  async atEnd(): Promise<boolean> {
    return this.#held.length === 0 && !(await this.#hold());
  }

  /** Returns the buffered bytes, at least `size`, without consuming them. Throws if the file ends before. */
  async peek(size: number): Promise<Buffer> {
    while (this.#held.length < size) if (!(await this.#hold())) throw endedEarly();
    return this.#held;
  }

  async skip(size: number): Promise<void> {
    let left = size;
    this.#passed += size;
    while (left > this.#held.length) {
      left -= this.#held.length;
      this.#held = this.#held.subarray(this.#held.length);
      if (!(await this.#hold())) throw endedEarly();
    }
    this.#held = this.#held.subarray(left);
  }

  /** Closes the source, even if it has not been read to its end. */
  async close(): Promise<void> {
    await this.#slices.return();
  }

  async #hold(): Promise<boolean> {
    const next = await this.#slices.next();
    if (next.done) return false;
    this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
    return true;
  }
}

const endedEarly = () => new RefusedArchive('truncated', 'The file ends before the end of the archive');

async function* readSlices(chunks: AsyncIterable<Uint8Array>, allowance: Allowance): AsyncGenerator<Buffer, void> {
  for await (const { buffer, byteOffset, length } of chunks) {
    for (let at = 0; at < length; at += SLICE_BYTES) {
      const slice = Buffer.from(buffer, byteOffset + at, Math.min(SLICE_BYTES, length - at));
      allowance.read(slice.length);
      yield slice;
    }
  }
}
