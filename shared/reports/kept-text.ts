/**
 * Texts that are cut while streaming. They buffer one character more than they keep, to know whether there was more.
 */
import { keptBeginning, keptEnd } from '#shared/engine/cut-text.ts';

/**
 * A copy that shares no memory with the text it was cut from. V8 keeps the whole text alive for a part of it, so a
 * short name would keep a chunk of the file.
 */
export const ownCopy = (text: string): string =>
  // Joining and cutting again copies the characters. It is ten times as fast as a buffer.
  text.length < SHARED_FROM ? text : ` ${text}`.slice(1);
/** The length from which a part shares the memory of the whole text. V8 copies shorter parts anyway. */
const SHARED_FROM = 13;

/** Keeps the beginning of a streamed text. */
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

/** Keeps the end of a streamed text. Never buffers more than twice as much. */
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
