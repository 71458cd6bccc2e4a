/** Detects decompression bombs. All files of an archive share one count, so splitting a bomb does not help. */
import { ARCHIVE_LIMITS } from './limits.ts';

const { times, fromBytes } = ARCHIVE_LIMITS.inflation;

export class Inflation {
  #read = 0;
  #made = 0;

  /** Adds bytes: `made` were inflated from `read` compressed ones. Returns whether the total ratio is too high. */
  goesTooFar({ read, made }: { readonly read: number; readonly made: number }): boolean {
    this.#read += read;
    this.#made += made;
    return this.#made > fromBytes && this.#made > this.#read * times;
  }
}
