/**
 * Limits how much evidence one failure context unpacks and shows, because its unpacked size is unknown until it is in
 * memory, and masking and serializing it take most of the response time.
 */
import { unpackSized } from '#shared/engine/table/packed.ts';
import { MASKING_LIMITS } from '#shared/masking/limits.ts';
import type { AttemptEvidence } from '#shared/model/results/evidence.ts';
import type { TestContext } from './context-wire.ts';
import { cutOutput, type Detail } from './detail.ts';
import { CONTEXT_LIMITS } from './limits.ts';

/** Estimates the cost of masking and serializing values, in much less time than either takes. */
class TextSize {
  #characters = 0;
  /** Repeated texts count only once, because each distinct text is masked only once. */
  readonly #known = new Set<string>();

  /** Adds all texts of an object or array, including nested ones. */
  add(container: object): void {
    if (!Array.isArray(container)) this.#characters += CONTEXT_LIMITS.charactersPerObject;
    for (const member of Object.values(container)) {
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

interface LargeTestParts extends Pick<TestContext, 'error' | 'furtherErrors' | 'otherAttempts'> {
  readonly evidence: AttemptEvidence;
}

export class LoadingRoom {
  #left: number = CONTEXT_LIMITS.loadedBytes;
  readonly #detail: Detail;
  readonly #characters: number;
  readonly #refusal: Error | undefined;
  readonly #size = new TextSize();

  /** `characters`: how many are masked for one response. Without a `refusal` to throw, further values are left out. */
  constructor({ detail, characters, refusal }: { detail: Detail; characters: number; refusal?: Error | undefined }) {
    this.#detail = detail;
    this.#characters = characters;
    this.#refusal = refusal;
  }

  /** Above the limit: throws the refusal, or else returns `undefined`. The last value may exceed the limit. */
  unpack<Shape>(packedValue: Uint8Array): Shape | undefined {
    this.refuseIfFull();
    if (this.#left < 0) return undefined;
    const { value, bytes } = unpackSized<Shape>(packedValue);
    this.#left -= bytes;
    this.refuseIfFull();
    return value;
  }

  /** Counts one more test, without omitted parts. Above the limit: throws the refusal, or else returns false. */
  takes({ error, furtherErrors, otherAttempts, evidence: { steps, stdout, stderr } }: LargeTestParts): boolean {
    this.#size.add({ error });
    if (this.#detail === 'default') this.#size.add({ furtherErrors, otherAttempts, steps, stdout, stderr });
    if (this.#detail === 'compact')
      this.#size.add({ furtherErrors, otherAttempts, stdout: cutOutput(stdout), stderr: cutOutput(stderr) });
    if (this.#size.characters > this.#characters) this.#left = -1;
    this.refuseIfFull();
    return this.#left >= 0;
  }

  refuseIfFull(): void {
    if (this.#left < 0 && this.#refusal) throw this.#refusal;
  }
}
