/**
 * Tells compressed bombs from honest files by how far they inflate. All files of one archive share it: a bomb that is cut
 * into many small files inflates as far as a whole one.
 */
import { ARCHIVE_LIMITS } from './limits.ts';

const { times, fromBytes } = ARCHIVE_LIMITS.inflation;

export class Inflation {
  #read = 0;
  #made = 0;

  /** `made` bytes came out of `read` more compressed bytes. Returns whether all of them together are too much. */
  goesTooFar({ read, made }: { readonly read: number; readonly made: number }): boolean {
    this.#read += read;
    this.#made += made;
    return this.#made > fromBytes && this.#made > this.#read * times;
  }
}
