/** What one trace may cost. Whoever takes bytes says so here first, and is stopped when they are too many or too late. */
import { LIMITS } from '../limits.ts';
import { Refusal } from './refusal.ts';

const { bytes, inflatedBytes, milliseconds } = LIMITS.trace;

export class Allowance {
  readonly #now: () => number;
  readonly #start: number;
  #read = 0;
  #inflated = 0;

  /** `now` counts milliseconds, from whenever. */
  constructor(now: () => number) {
    this.#now = now;
    this.#start = now();
  }

  read(size: number): void {
    this.#read += size;
    if (this.#read > bytes) throw new Refusal('tooLarge', `It has more than ${bytes} bytes`);
    this.#keepTime();
  }

  inflate(size: number): void {
    this.#inflated += size;
    if (this.#inflated > inflatedBytes)
      throw new Refusal('inflatesTooFar', `Its events have more than ${inflatedBytes} bytes once inflated`);
    this.#keepTime();
  }

  #keepTime(): void {
    if (this.#now() - this.#start > milliseconds)
      throw new Refusal('tooSlow', `It was not read after ${milliseconds} milliseconds`);
  }
}
