/**
 * Limits how much evidence one failure context unpacks and shows. A limit is needed because the size of unpacked
 * evidence is unknown until it is in memory, and because masking and serializing the evidence take most of the response
 * time.
 */
import { unpackSized } from '#shared/engine/table/packed.ts';
import { MASKING_LIMITS } from '#shared/masking/limits.ts';
import type { AttemptEvidence } from '#shared/model/tests/evidence.ts';
import type { TestContext } from './context-wire.ts';
import { type Detail, endOfOutput } from './detail.ts';
import { CONTEXT_LIMITS } from './limits.ts';

/**
 * Estimates the cost of masking and serializing values. The estimate takes much less time than masking or serializing.
 */
class TextSize {
  #characters = 0;
  /** Repeated texts count only once, because each distinct text is masked only once. */
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
    this.#characters += text.length + MASKING_LIMITS.charactersPerText;
  }

  get characters(): number {
    return this.#characters;
  }
}

/** The large parts of a test. */
interface Shown extends Pick<TestContext, 'error' | 'otherAttempts'> {
  readonly evidence: AttemptEvidence;
}

export class LoadingRoom {
  #left: number = CONTEXT_LIMITS.loadedBytes;
  readonly #detail: Detail;
  readonly #characters: number;
  readonly #refusal: Error | undefined;
  readonly #size = new TextSize();

  /**
   * Creates the limit for one failure context. `characters`: the maximum number of characters that are masked for the
   * response. `refusal`: the error to throw when the limit is exceeded. If `refusal` is absent, further values are left
   * out.
   */
  constructor({ detail, characters, refusal }: { detail: Detail; characters: number; refusal?: Error | undefined }) {
    this.#detail = detail;
    this.#characters = characters;
    this.#refusal = refusal;
  }

  /**
   * Unpacks a value. If the limit is exceeded, throws the refusal, or returns `undefined` if there is none. The last
   * unpacked value may take the total above the limit.
   */
  unpack<Shape>(packed: Uint8Array): Shape | undefined {
    this.refuseIfFull();
    if (this.#left < 0) return undefined;
    const { value, bytes } = unpackSized<Shape>(packed);
    this.#left -= bytes;
    this.refuseIfFull();
    return value;
  }

  /**
   * Counts one more test. If the limit is exceeded, throws the refusal, or returns false if there is none. Parts that
   * the level of detail omits are not counted.
   */
  takes({ error, otherAttempts, evidence: { steps, stdout, stderr } }: Shown): boolean {
    this.#size.add({ error });
    if (this.#detail === 'default') this.#size.add({ otherAttempts, steps, stdout, stderr });
    if (this.#detail === 'compact')
      this.#size.add({ otherAttempts, stdout: endOfOutput(stdout), stderr: endOfOutput(stderr) });
    if (this.#size.characters > this.#characters) this.#left = -1;
    this.refuseIfFull();
    return this.#left >= 0;
  }

  refuseIfFull(): void {
    if (this.#left < 0 && this.#refusal) throw this.#refusal;
  }
}
