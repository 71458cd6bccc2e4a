/** Finished HTML. Only the JSX runtime creates instances, and it escapes all texts in them. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Child = Html | string | number | false | null | undefined | readonly Child[];
