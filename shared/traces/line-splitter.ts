/** Lines out of bytes that arrive in parts. No line holds more memory than one may, however long it is. */
import { LIMITS } from '../limits.ts';

const { lineBytes } = LIMITS.trace;

export class LineSplitter {
  readonly #onLine: (line: Buffer, isWhole: boolean) => void;
  #parts: Buffer[] = [];
  #length = 0;
  #isWhole = true;

  /** `onLine` is called with each line, without its end. Of one that is too long it gets the beginning. */
  constructor(onLine: (line: Buffer, isWhole: boolean) => void) {
    this.#onLine = onLine;
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

  /** The last line may lack its end. */
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
    const taken = bytes.subarray(0, lineBytes - this.#length);
    if (taken.length < bytes.length) this.#isWhole = false;
    if (taken.length === 0) return;
    this.#parts.push(taken);
    this.#length += taken.length;
  }
}
