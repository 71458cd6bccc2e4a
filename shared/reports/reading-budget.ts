/**
 * The remaining budget of an import: how many bytes it may still read, and how much work their content may take. All
 * files of an archive share one budget.
 */
import { Inflation } from '#shared/engine/archives/inflation.ts';
import { ARCHIVE_LIMITS } from '#shared/engine/archives/limits.ts';
import { inflatesTooFar, reportTooIntricate, reportTooLarge } from './errors.ts';
import { REPORT_LIMITS } from './limits.ts';

export interface ReadingLimits {
  /** The limit on decompressed bytes, for all reports together. */
  readonly bytes: number;
  /** In units of `REPORT_LIMITS.work`. Bytes alone say little: a test such as `{},` has 3 bytes but costs 24 units. */
  readonly work: number;
}

export class ReadingBudget {
  readonly #most: ReadingLimits;
  readonly #inflation = new Inflation();
  #bytes = 0;
  #work = 0;

  constructor(most: ReadingLimits = REPORT_LIMITS.reading) {
    this.#most = most;
  }

  /** Deducts bytes from the budget. Throws if the budget has fewer bytes left. `name`: the file that is being read. */
  take(bytes: number, name = ''): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#most.bytes) throw reportTooLarge(name, this.#most.bytes);
  }

  inflate(size: { readonly read: number; readonly made: number }, name = ''): void {
    if (this.#inflation.goesTooFar(size)) throw inflatesTooFar(name, ARCHIVE_LIMITS.inflation.times);
  }

  work(units: number, name = ''): void {
    this.#work += units;
    if (this.#work > this.#most.work) throw reportTooIntricate(name);
  }
}
