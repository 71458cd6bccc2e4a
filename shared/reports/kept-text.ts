/** Cuts long texts while they are streamed. */
import { cutText, keepOutputEnd } from '#shared/engine/cut-text.ts';
import { copyText } from '#shared/engine/own-copy.ts';
import { REPORT_LIMITS } from './limits.ts';

/** Keeps the end of the output of a test. */
export const limitOutput = (pieces: readonly string[]): string[] =>
  keepOutputEnd(pieces, REPORT_LIMITS.outputCharacters).map(copyText);

/** Buffers one character more than it keeps, to detect whether the text was longer. */
export class KeptBeginning {
  readonly #most: number;
  #text = '';

  constructor(most: number) {
    this.#most = most;
  }

  add(part: string): void {
    const room = this.#most + 1 - this.#text.length;
    if (room > 0) this.#text += part.length > room ? part.slice(0, room) : part;
  }

  get text(): string {
    return copyText(cutText(this.#text, this.#most));
  }
}

/** Keeps the end of a streamed text. Buffers at most twice the length that it keeps. */
export class KeptEnd {
  readonly #most: number;
  #text = '';

  constructor(most: number) {
    this.#most = most;
  }

  add(part: string): void {
    this.#text += part;
    if (this.#text.length > 2 * this.#most) this.#text = copyText(this.#text.slice(-this.#most - 1));
  }

  get text(): string {
    return copyText(keepOutputEnd([this.#text], this.#most).join(''));
  }
}
