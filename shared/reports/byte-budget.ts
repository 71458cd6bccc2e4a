/** The inflated bytes that a request may still read. */
import { reportTooLarge } from '#shared/engine/report-errors.ts';
import { REPORT_LIMITS } from './limits.ts';

export class ByteBudget {
  readonly #most: number;
  #left: number;

  constructor(most: number = REPORT_LIMITS.fileBytes) {
    this.#most = Math.min(most, REPORT_LIMITS.fileBytes);
    this.#left = this.#most;
  }

  /** `name`: the file that is being read. */
  take(bytes: number, name: string): void {
    this.#left -= bytes;
    if (this.#left < 0) throw reportTooLarge(name, this.#most);
  }
}
