/** The text that `cleanWords` builds: without what hides a token, and with the way back to the original. */

const LINE_BREAK = 0x0a;
const SHORTEST_TOKEN = 15;

/** The numbers of a part in `#parts`. */
const PART_NUMBERS = 3;

/**
 * Clean words, one per line, with the position of each character in the original.
 *
 * Everything that is recorded and shown passes through here, so characters and parts are in typed arrays that grow, and
 * not in an object each.
 */
export class CleanText {
  length = 0;
  #codes = Buffer.allocUnsafe(256);
  /**
   * Parts of this text, in which each character stands for the next one of the original. The first may stand for several.
   * Three numbers each: where the part begins, and where its first character begins and ends in the original.
   */
  #parts = new Uint32Array(32 * PART_NUMBERS);
  #partCount = 0;
  /** Where the character of the original is that would continue the last part. */
  #continuesAt = -1;
  /** The lengths of this text and of its parts before the word that was begun. */
  #lengthBefore = 0;
  #partCountBefore = 0;
  /** Cached for the patterns that read it. `undefined` after each change. */
  #text: string | undefined;

  beginWord(): void {
    this.#lengthBefore = this.length;
    this.#partCountBefore = this.#partCount;
  }

  /** Adds the rest of the word. A word that is shorter than any token is removed. */
  endWord(original: Uint16Array, rest: number, end: number): void {
    this.addPart(original, rest, end);
    if (this.length - this.#lengthBefore >= SHORTEST_TOKEN) {
      this.add(LINE_BREAK, end, end);
      return;
    }
    this.#text = undefined;
    this.length = this.#lengthBefore;
    this.#partCount = this.#partCountBefore;
    this.#continuesAt = -1;
  }

  /** Whether the word ends with these characters. */
  endsWith(codes: Uint8Array): boolean {
    const start = this.length - codes.length;
    if (start < this.#lengthBefore) return false;
    for (let at = codes.length - 1; at >= 0; at -= 1) if (this.#codes[start + at] !== codes[at]) return false;
    return true;
  }

  /** Adds a character that stands for these of the original. */
  add(code: number, start: number, end: number): void {
    this.#makeRoom(1);
    this.#beginPart(start, end);
    this.#codes[this.length] = code;
    this.length += 1;
    this.#continuesAt = end;
  }

  /** Adds characters of the original as they are. */
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
    // Each part may get a line break before it.
    other.#makeRoom(this.length + this.#partCount);
    const codes = this.#codes;
    let endInOriginal = this.#firstBeginsAt(0);
    for (let part = 0; part < this.#partCount; part += 1) {
      const firstBegin = this.#firstBeginsAt(part);
      const firstEnd = this.#firstEndsAt(part);
      if (endInOriginal !== firstBegin) other.add(LINE_BREAK, endInOriginal, firstBegin);
      other.#beginPart(firstBegin, firstEnd);
      const start = this.#beginsAt(part);
      const end = part + 1 < this.#partCount ? this.#beginsAt(part + 1) : this.length;
      for (let at = start; at < end; at += 1) other.#codes[other.length + at - start] = codes[at] ?? 0;
      other.length += end - start;
      // After the first, each character stands for one of the original.
      endInOriginal = firstEnd + end - start - 1;
    }
    return other;
  }

  #findEnd(at: number): number {
    const part = this.#findPart(at);
    return this.#firstEndsAt(part) + at - this.#beginsAt(part);
  }

  #findStart(at: number): number {
    const part = this.#findPart(at);
    return this.#beginsAt(part) === at ? this.#firstBeginsAt(part) : this.#findEnd(at) - 1;
  }

  /** The part that contains this character, by binary search. */
  #findPart(at: number): number {
    let [low, high] = [0, this.#partCount];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#beginsAt(middle) <= at) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Where the part begins in this text. */
  #beginsAt(part: number): number {
    return this.#parts[PART_NUMBERS * part] ?? 0;
  }

  /** Where the first character of the part begins in the original. */
  #firstBeginsAt(part: number): number {
    return this.#parts[PART_NUMBERS * part + 1] ?? 0;
  }

  /** Where the first character of the part ends in the original. */
  #firstEndsAt(part: number): number {
    return this.#parts[PART_NUMBERS * part + 2] ?? 0;
  }

  /** Begins a part at the end of this text. Its first character stands for those of the original from `start` to `end`. */
  #beginPart(start: number, end: number): void {
    const at = PART_NUMBERS * this.#partCount;
    if (at === this.#parts.length) {
      const parts = new Uint32Array(2 * at);
      parts.set(this.#parts);
      this.#parts = parts;
    }
    this.#parts[at] = this.length;
    this.#parts[at + 1] = start;
    this.#parts[at + 2] = end;
    this.#partCount += 1;
  }

  /** Prepares for further characters. */
  #makeRoom(more: number): void {
    this.#text = undefined;
    if (this.length + more <= this.#codes.length) return;
    const codes = Buffer.allocUnsafe(2 * (this.length + more));
    codes.set(this.#codes);
    this.#codes = codes;
  }
}
