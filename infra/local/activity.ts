/** That something happened since somebody began to look, for those who would otherwise look all the time. */
export class Activity {
  #next = Promise.withResolvers<void>();

  happened(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves when something happens after it was asked for. */
  get next(): Promise<void> {
    return this.#next.promise;
  }
}
