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

  /**
   * Creates a budget. `now` returns the milliseconds since an arbitrary but fixed point in time. The maximum inflation
   * ratio applies to all budgets with the same `shared` together. All other limits apply to each budget alone.
   */
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

  /** Claims `made` bytes that were inflated from `read` compressed bytes. */
  inflate(made: number, read: number): void {
    this.#inflated += made;
    if (this.#inflated > inflatedBytes)
      throw new RefusedArchive('tooLarge', `The file inflates to more than ${inflatedBytes} bytes`);
    if (this.#inflation.goesTooFar({ read, made }))
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
