/**
 * The budget for reading one trace. A reader claims bytes and lines here before it takes them. Too many of them or too
 * much time stop it.
 */
import { Inflation } from './inflation.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import { RefusedArchive } from './refusal.ts';

const { bytes, inflatedBytes, inflation, lines, milliseconds } = ARCHIVE_LIMITS;

export class Allowance {
  readonly #now: () => number;
  readonly #start: number;
  readonly #inflation: Inflation;
  #read = 0;
  #inflated = 0;
  #lines = 0;

  /** `now` counts milliseconds from any start. */
  constructor(now: () => number, shared = new Inflation()) {
    this.#now = now;
    this.#inflation = shared;
    this.#start = now();
  }

  read(size: number): void {
    this.#read += size;
    if (this.#read > bytes) throw new RefusedArchive('tooLarge', `The file has more than ${bytes} bytes`);
    this.#keepTime();
  }

  /** `made` bytes came out of `read` compressed bytes. */
  inflate(made: number, read: number): void {
    this.#inflated += made;
    if (this.#inflated > inflatedBytes)
      throw new RefusedArchive('inflatesTooFar', `The events have more than ${inflatedBytes} bytes once inflated`);
    if (this.#inflation.goesTooFar({ read, made }))
      throw new RefusedArchive(
        'inflatesTooFar',
        `The events have more than ${inflation.times} times their compressed size`,
      );
    this.#keepTime();
  }

  line(): void {
    this.#lines += 1;
    if (this.#lines > lines) throw new RefusedArchive('tooLarge', `The file has more than ${lines} events`);
  }

  #keepTime(): void {
    if (this.#now() - this.#start > milliseconds)
      throw new RefusedArchive('tooSlow', `The file was not read after ${milliseconds} milliseconds`);
  }
}
