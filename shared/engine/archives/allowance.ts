/**
 * The budget for reading one archive, or one file in it. Readers must claim bytes and lines here before they use them.
 * Throws when bytes, lines, time or the inflation ratio exceed their limit.
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

  /** `now`: milliseconds since any fixed time. Budgets with one `sharedInflation` share the limit of the ratio only. */
  constructor(now: () => number, sharedInflation = new Inflation()) {
    this.#now = now;
    this.#inflation = sharedInflation;
    this.#start = now();
  }

  read(size: number): void {
    this.#read += size;
    if (this.#read > bytes) throw new RefusedArchive('tooLarge', `The file has more than ${bytes} bytes`);
    this.#keepTime();
  }

  inflate(inflatedSize: number, compressedSize: number): void {
    this.#inflated += inflatedSize;
    if (this.#inflated > inflatedBytes)
      throw new RefusedArchive('tooLarge', `The file inflates to more than ${inflatedBytes} bytes`);
    if (this.#inflation.goesTooFar({ read: compressedSize, made: inflatedSize }))
      throw new RefusedArchive(
        'inflatesTooFar',
        `The file inflates to more than ${inflation.times} times its compressed size`,
      );
    this.#keepTime();
  }

  line(): void {
    this.#lines += 1;
    if (this.#lines > lines) throw new RefusedArchive('tooLarge', `The file has more than ${lines} events`);
  }

  #keepTime(): void {
    if (this.#now() - this.#start > milliseconds)
      throw new RefusedArchive('tooSlow', `Reading the file took more than ${milliseconds} milliseconds`);
  }
}
