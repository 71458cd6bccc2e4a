/** Signals that a function may have written to the outbox, so that pollers can poll less frequently while nothing happens. */
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
