/** Finished HTML. Only the JSX runtime creates it, and it escapes all texts. */
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
