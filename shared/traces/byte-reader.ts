/** Bytes of a file that arrives in chunks of any size, looked at and passed over from its beginning to its end. */
import type { Allowance } from './allowance.ts';
import { Refusal } from './refusal.ts';

/** Larger chunks are cut, so that joining two never copies much, and the time is looked at often. */
const SLICE_BYTES = 64 * 1024;

export class ByteReader {
  readonly #slices: AsyncGenerator<Buffer, void>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>, allowance: Allowance) {
    this.#slices = slicesOf(chunks, allowance);
  }

  async atEnd(): Promise<boolean> {
    return this.#held.length === 0 && !(await this.#hold());
  }

  /** The next bytes without passing over them: at least `size`, and what else is at hand. */
  async peek(size: number): Promise<Buffer> {
    while (this.#held.length < size) if (!(await this.#hold())) throw endedEarly();
    return this.#held;
  }

  async skip(size: number): Promise<void> {
    let left = size;
    while (left > this.#held.length) {
      left -= this.#held.length;
      this.#held = this.#held.subarray(this.#held.length);
      if (!(await this.#hold())) throw endedEarly();
    }
    this.#held = this.#held.subarray(left);
  }

  /** Lets go of the source, wherever it is. */
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

const endedEarly = () => new Refusal('truncated', 'It ends before its archive does');

async function* slicesOf(chunks: AsyncIterable<Uint8Array>, allowance: Allowance): AsyncGenerator<Buffer, void> {
  for await (const { buffer, byteOffset, length } of chunks) {
    for (let at = 0; at < length; at += SLICE_BYTES) {
      const slice = Buffer.from(buffer, byteOffset + at, Math.min(SLICE_BYTES, length - at));
      allowance.read(slice.length);
      yield slice;
    }
  }
}
