/** The text that `cleanWords` builds: without what hides a token, and with the way back to the original. */

const LINE_BREAK = 0x0a;
/** The length of the shortest token. */
const FEWEST = 15;

/** Clean words, one per line, with the position of each character in the original. */
export class CleanText {
  length = 0;
  #codes = Buffer.allocUnsafe(256);
  /**
   * Parts of this text, in which each character stands for the next one of the original. The first may stand for several.
   * Three numbers each: where the part begins, and where its first character begins and ends in the original.
   */
  #parts = new Uint32Array(96);
  #partsLength = 0;
  /** Where the character of the original is that would continue the last part. */
  #continuesAt = -1;
  /** The lengths of this text and of its parts before the word that was begun. */
  #lengthBefore = 0;
  #partsLengthBefore = 0;
  #text: string | undefined;

  beginWord(): void {
    this.#lengthBefore = this.length;
    this.#partsLengthBefore = this.#partsLength;
  }

  /** Adds the rest of the word. A word that is shorter than any token is removed. */
  endWord(original: Uint16Array, rest: number, end: number): void {
    this.addPart(original, rest, end);
    if (this.length - this.#lengthBefore >= FEWEST) {
      this.add(LINE_BREAK, end, end);
      return;
    }
    this.length = this.#lengthBefore;
    this.#partsLength = this.#partsLengthBefore;
    this.#continuesAt = -1;
  }

  endsWith(codes: Uint8Array): boolean {
    const start = this.length - codes.length;
    if (start < this.#lengthBefore) return false;
    for (let at = codes.length - 1; at >= 0; at -= 1) if (this.#codes[start + at] !== codes[at]) return false;
    return true;
  }

  add(code: number, start: number, end: number): void {
    this.#makeRoom(1);
    this.#beginPart(start, end);
    this.#codes[this.length] = code;
    this.length += 1;
    this.#continuesAt = end;
  }

  addPart(original: Uint16Array, start: number, end: number): void {
    if (start === end) return;
    this.#makeRoom(end - start);
    if (start !== this.#continuesAt) this.#beginPart(start, start + 1);
    const codes = this.#codes;
    const shift = this.length - start;
    for (let at = start; at < end; at += 1) codes[shift + at] = original[at] ?? 0;
    this.length = shift + end;
    this.#continuesAt = end;
  }

  get text(): string {
    this.#text ??= this.#codes.toString('latin1', 0, this.length);
    return this.#text;
  }

  /** Where a part of this text is in the original, including the characters that were removed inside it. */
  originalSpan(start: number, end: number): { start: number; end: number } {
    return { start: this.#findStart(start), end: this.#findEnd(end - 1) };
  }

  /** The same text with a line break wherever characters were removed. */
  withLineBreaks(): CleanText {
    const other = new CleanText();
    const parts = this.#parts;
    const codes = this.#codes;
    other.#makeRoom(this.length + this.#partsLength / 3);
    let last = parts[1] ?? 0;
    for (let part = 0; part < this.#partsLength; part += 3) {
      const start = parts[part + 1] ?? 0;
      if (last !== start) other.add(LINE_BREAK, last, start);
      const first = parts[part] ?? 0;
      const next = part + 3 < this.#partsLength ? (parts[part + 3] ?? 0) : this.length;
      const end = parts[part + 2] ?? 0;
      other.#beginPart(start, end);
      for (let at = first; at < next; at += 1) other.#codes[other.length + at - first] = codes[at] ?? 0;
      other.length += next - first;
      last = end + next - first - 1;
    }
    return other;
  }

  #findEnd(at: number): number {
    const part = this.#findPart(at);
    return (this.#parts[part + 2] ?? 0) + at - (this.#parts[part] ?? 0);
  }

  #findStart(at: number): number {
    const part = this.#findPart(at);
    return this.#parts[part] === at ? (this.#parts[part + 1] ?? 0) : this.#findEnd(at) - 1;
  }

  #findPart(at: number): number {
    let [low, high] = [0, this.#partsLength / 3];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#parts[3 * middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return 3 * low;
  }

  #beginPart(start: number, end: number): void {
    const at = this.#partsLength;
    if (at === this.#parts.length) {
      const parts = new Uint32Array(2 * at);
      parts.set(this.#parts);
      this.#parts = parts;
    }
    this.#parts[at] = this.length;
    this.#parts[at + 1] = start;
    this.#parts[at + 2] = end;
    this.#partsLength = at + 3;
  }

  #makeRoom(more: number): void {
    if (this.length + more <= this.#codes.length) return;
    const codes = Buffer.allocUnsafe(2 * (this.length + more));
    codes.set(this.#codes);
    this.#codes = codes;
  }
}
