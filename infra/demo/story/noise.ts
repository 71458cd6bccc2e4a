/** Pseudo-random numbers: the same arguments always give the same number, so that the story is reproducible. */
import { createHash } from 'node:crypto';

const SEED = 'the demo of Rundown, 1';

type Words = readonly (string | number)[];

const hashWords = (words: Words): Buffer =>
  createHash('sha256')
    .update([SEED, ...words].join('\n'))
    .digest();

/** A number in [0, 1). */
export const drawFraction = (...words: Words): number => hashWords(words).readUInt32BE(0) / 2 ** 32;

export const drawHex = (characters: number, ...words: Words): string =>
  hashWords(words).toString('hex').slice(0, characters);

/** An integer from `least` to `most`, both included. */
export const drawInteger = (least: number, most: number, ...words: Words): number =>
  Math.floor(least + drawFraction(...words) * (most - least + 1));
