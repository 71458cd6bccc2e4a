/** How much evidence one context unpacks. Compression hides how much there is until it is in memory. */
import { unpackSized } from '#shared/engine/table/packed.ts';
import { CONTEXT_LIMITS } from './limits.ts';

export class LoadingRoom {
  #left: number = CONTEXT_LIMITS.loadedBytes;
  readonly #refusal: Error | undefined;

  /** `refusal`: thrown when the room is full. Without one, further values are left out. */
  constructor(refusal?: Error) {
    this.#refusal = refusal;
  }

  /** Returns `undefined` for a value that is left out. The last value that is unpacked may exceed the room. */
  unpack<Shape>(packed: Uint8Array): Shape | undefined {
    this.refuseIfFull();
    if (this.#left < 0) return undefined;
    const { value, bytes } = unpackSized<Shape>(packed);
    this.#left -= bytes;
    this.refuseIfFull();
    return value;
  }

  refuseIfFull(): void {
    if (this.#left < 0 && this.#refusal) throw this.#refusal;
  }
}
