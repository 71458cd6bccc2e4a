/** Signals that a function ran, so that pollers can poll less frequently while nothing happens. */
export class Activity {
  #next = Promise.withResolvers<void>();

  happened(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  get next(): Promise<void> {
    return this.#next.promise;
  }
}
