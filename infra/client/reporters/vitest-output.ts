/** What tests print, as Vitest reports it. */
import { OUTPUT_CHARACTERS } from './test-evidence.ts';

/** An output with this number of texts is shortened, even if the texts are short. */
const MOST_CHUNKS = 20_000;

/** The last texts of an output. A test may write many megabytes. */
export class Output {
  readonly #most: number;
  #chunks: { readonly time: number; readonly text: string }[] = [];
  #characters = 0;
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(time: number, text: string): void {
    const tail = text.slice(-this.#most);
    this.#chunks.push({ time, text: tail });
    this.#characters += tail.length;
    this.count += 1;
    // The list is shortened only now and then, because shortening copies it.
    if (this.#characters < 2 * this.#most && this.#chunks.length < MOST_CHUNKS) return;
    const newestChunks = this.#chunks.splice(0).reverse();
    this.#characters = 0;
    for (const chunk of newestChunks) {
      if (this.#characters >= this.#most || this.#chunks.length >= MOST_CHUNKS / 2) break;
      this.#chunks.push(chunk);
      this.#characters += chunk.text.length;
    }
    this.#chunks.reverse();
  }

  /** What was written from `from` to before `to`, in epoch milliseconds: one text, or an empty list if nothing. */
  between(from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): string[] {
    const texts = this.#chunks.filter(({ time }) => time >= from && time < to).map(({ text }) => text);
    return texts.length === 0 ? [] : [texts.join('').slice(-this.#most)];
  }
}

export class TestOutput {
  readonly stdout = new Output(OUTPUT_CHARACTERS);
  readonly stderr = new Output(OUTPUT_CHARACTERS);
}
