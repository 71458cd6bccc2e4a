/** Cuts long texts while they are streamed. */
import { keptBeginning, keptEnd } from '#shared/engine/cut-text.ts';
import { REPORT_LIMITS } from './limits.ts';

/**
 * Copies a text, so that the copy shares no memory with the longer text from which it was cut. V8 keeps the whole text
 * in memory as long as a part of it is used, so a short name would keep a whole chunk of the file.
 */
export const ownCopy = (text: string): string =>
  // Adding and removing a character forces V8 to copy the text. This is ten times as fast as a copy through a Buffer.
  text.length < SHARED_FROM ? text : ` ${text}`.slice(1);
/** The length from which a substring shares the memory of the whole text. V8 copies shorter substrings anyway. */
const SHARED_FROM = 13;

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
