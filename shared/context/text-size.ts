/** Adds up what masking reads, and what answers have to write. Costs much less than either. */
import { CONTEXT_LIMITS } from './limits.ts';

export class TextSize {
  #characters = 0;
  /** Masking reads a repeated text once. */
  readonly #known = new Set<string>();

  add(value: object): void {
    if (!Array.isArray(value)) this.#characters += CONTEXT_LIMITS.charactersPerObject;
    for (const member of Object.values(value)) {
      if (typeof member === 'string') this.#addText(member);
      else if (typeof member === 'object' && member !== null) this.add(member);
    }
  }

  #addText(text: string): void {
    if (this.#known.has(text)) return;
    this.#known.add(text);
    this.#characters += text.length + CONTEXT_LIMITS.charactersPerText;
  }

  get characters(): number {
    return this.#characters;
  }
}
