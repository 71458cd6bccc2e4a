/**
 * The budget for reading one trace. A reader claims bytes here before it takes them. Too many bytes or too much time
 * stop it.
 */
import { ARCHIVE_LIMITS } from './limits.ts';
import { Refusal } from './refusal.ts';

const { bytes, inflatedBytes, milliseconds } = ARCHIVE_LIMITS;

export class Allowance {
  readonly #now: () => number;
  readonly #start: number;
  #read = 0;
  #inflated = 0;

  /** `now` counts milliseconds from any start. */
  constructor(now: () => number) {
    this.#now = now;
    this.#start = now();
  }

  read(size: number): void {
    this.#read += size;
    if (this.#read > bytes) throw new Refusal('tooLarge', `The file has more than ${bytes} bytes`);
    this.#keepTime();
  }

  inflate(size: number): void {
    this.#inflated += size;
    if (this.#inflated > inflatedBytes)
      throw new Refusal('inflatesTooFar', `The events have more than ${inflatedBytes} bytes once inflated`);
    this.#keepTime();
  }

  #keepTime(): void {
    if (this.#now() - this.#start > milliseconds)
      throw new Refusal('tooSlow', `The file was not read after ${milliseconds} milliseconds`);
  }
}
