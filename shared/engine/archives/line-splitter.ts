/** Splits bytes that arrive in parts into lines. Bounds the memory of each line. */
import { ARCHIVE_LIMITS } from './limits.ts';

const { lineBytes } = ARCHIVE_LIMITS;

export class LineSplitter {
  readonly #onLine: (line: Buffer, isWhole: boolean) => void;
  readonly #most: number;
  #parts: Buffer[] = [];
  #length = 0;
  #isWhole = true;

  /** Calls `onLine` for each line, without the line break. An overlong line is cut to its beginning. */
  constructor(onLine: (line: Buffer, isWhole: boolean) => void, most: number = lineBytes) {
    this.#onLine = onLine;
    this.#most = most;
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', from)) {
      this.#append(bytes.subarray(from, end));
      this.end();
      from = end + 1;
    }
    this.#append(bytes.subarray(from));
  }

  /** The last line may have no line break. */
  end(): void {
    const [first = Buffer.alloc(0), ...more] = this.#parts;
    const line = more.length === 0 ? first : Buffer.concat(this.#parts);
    const isWhole = this.#isWhole;
    this.#parts = [];
    this.#length = 0;
    this.#isWhole = true;
    if (line.length > 0) this.#onLine(line, isWhole);
  }

  #append(bytes: Buffer): void {
    const taken = bytes.subarray(0, this.#most - this.#length);
    if (taken.length < bytes.length) this.#isWhole = false;
    if (taken.length === 0) return;
    this.#parts.push(taken);
    this.#length += taken.length;
  }
}
