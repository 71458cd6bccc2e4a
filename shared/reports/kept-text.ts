/** Cuts long texts while they are streamed. */
import { keptBeginning, keptEnd } from '#shared/engine/cut-text.ts';
import { ownCopy } from '#shared/engine/own-copy.ts';
import { REPORT_LIMITS } from './limits.ts';

/** Keeps the end of the output of a test. */
export const keptOutput = (pieces: readonly string[]): string[] =>
  keptEnd(pieces, REPORT_LIMITS.outputCharacters).map(ownCopy);

/**
 * Keeps the beginning of a streamed text. Buffers one character more than it keeps, to detect whether the text was
 * longer.
 */
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
    return ownCopy(keptBeginning(this.#text, this.#most));
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
    if (this.#text.length > 2 * this.#most) this.#text = ownCopy(this.#text.slice(-this.#most - 1));
  }

  get text(): string {
    return ownCopy(keptEnd([this.#text], this.#most).join(''));
  }
}
