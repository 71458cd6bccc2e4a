/** Finished HTML. Only the JSX runtime, which escapes all texts, and `makeStyleElement` create instances. */
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

/** For a style sheet that the build has made. The text of this element is never escaped. */
export function makeStyleElement(text: string): Html {
  if (text.includes('</')) throw new Error('A style sheet must not contain the end of an element');
  return new Html(`<style>${text}</style>`);
}
