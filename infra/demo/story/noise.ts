/**
 * Deterministic pseudo-random numbers: the same arguments always give the same number, because the story must be
 * reproducible.
 */
import { createHash } from 'node:crypto';

const SEED = 'the demo of Rundown, 1';

type Words = readonly (string | number)[];

const digestOf = (words: Words): Buffer =>
  createHash('sha256')
    .update([SEED, ...words].join('\n'))
    .digest();

/** A number in [0, 1). */
export const noise = (...words: Words): number => digestOf(words).readUInt32BE(0) / 2 ** 32;

export const hex = (characters: number, ...words: Words): string =>
  digestOf(words).toString('hex').slice(0, characters);

/** An integer from `least` to `most`, both included. */
export const between = (least: number, most: number, ...words: Words): number =>
  Math.floor(least + noise(...words) * (most - least + 1));
