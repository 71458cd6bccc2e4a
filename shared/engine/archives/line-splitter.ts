/** Splits bytes that arrive in parts into lines. Bounds the memory of each line. */
import { ARCHIVE_LIMITS } from './limits.ts';

const { lineBytes } = ARCHIVE_LIMITS;

const BREAK = 0x0a;

/** A run of line breaks has no lines. Taking each break for the end of a line costs a hundred times as much. */
function afterBreaks(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === BREAK) at += 1;
  return at;
}

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
    let from = this.#length === 0 ? afterBreaks(bytes, 0) : 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', from)) {
      this.#append(bytes.subarray(from, end));
      this.end();
      from = afterBreaks(bytes, end + 1);
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
