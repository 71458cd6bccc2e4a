/** Splits a byte stream into lines, with bounded memory per line. */
import { ARCHIVE_LIMITS } from './limits.ts';

const { lineBytes } = ARCHIVE_LIMITS;

const BREAK = 0x0a;

/** Skips a series of line breaks at once. Handling each as an empty line would take a hundred times as long. */
function skipBreaks(bytes: Buffer, start: number): number {
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

  /** Calls `onLine` for each non-empty line. If `isWhole` is false, it gets only the beginning of an overlong line. */
  constructor(onLine: (line: Buffer, isWhole: boolean) => void, most: number = lineBytes) {
    this.#onLine = onLine;
    this.#most = most;
  }

  push(bytes: Buffer): void {
    let from = this.#length === 0 ? skipBreaks(bytes, 0) : 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', from)) {
      this.#append(bytes.subarray(from, end));
      this.end();
      from = skipBreaks(bytes, end + 1);
    }
    this.#append(bytes.subarray(from));
  }

  /** Ends the current line. Call it at the end of the input, because the last line may have no line break. */
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
    const piece = bytes.subarray(0, this.#most - this.#length);
    if (piece.length < bytes.length) this.#isWhole = false;
    if (piece.length === 0) return;
    this.#parts.push(piece);
    this.#length += piece.length;
  }
}
