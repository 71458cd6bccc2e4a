/** Picks the requests that are counted: each of them stands for all since the one before. */
import { USAGE_LIMITS } from './limits.ts';

const RANDOM_CHARACTERS = 8;

type RandomId = (characters: number) => string;

/** A sequence of requests, of which one in `USAGE_LIMITS.sampleEvery` is counted. */
export class Sampler {
  /** The number of requests up to and including the next one that is counted. `undefined` before the first request. */
  #untilCounted: number | undefined;

  /** Takes note of a request, and returns whether it is counted. The first counted request is drawn at random. */
  addRequest(randomId: RandomId): boolean {
    this.#untilCounted = (this.#untilCounted ?? drawFirstCounted(randomId)) - 1;
    if (this.#untilCounted > 0) return false;
    this.#untilCounted = USAGE_LIMITS.sampleEvery;
    return true;
  }
}

const drawFirstCounted = (randomId: RandomId): number =>
  1 + (Number.parseInt(randomId(RANDOM_CHARACTERS), 16) % USAGE_LIMITS.sampleEvery);
