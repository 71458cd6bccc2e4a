/** Cuts the text of an issue so that the tracker accepts its length. */
import { cutText } from '#shared/engine/cut-text.ts';
import type { Block } from './blocks.ts';

/** The length to which code blocks are shortened before whole blocks are left out. */
const SHORTEST_CODE = 500;
const LEFT_OUT: Block = { kind: 'paragraph', spans: [{ kind: 'text', text: 'The rest was cut' }] };

/**
 * Shortens the text until its written length is at most `characters`. Code blocks are shortened first, because usually
 * only they are long. If that is not enough, whole blocks are left out from the end. Code blocks are left out last,
 * because they contain the error.
 */
export function fitted(
  blocks: readonly Block[],
  characters: number,
  lengthOf: (blocks: readonly Block[]) => number,
): readonly Block[] {
  const fits = (some: readonly Block[]) => lengthOf(some) <= characters;
  if (fits(blocks)) return blocks;
  const longest = Math.max(0, ...blocks.map((block) => (block.kind === 'code' ? block.text.length : 0)));
  const size = most(SHORTEST_CODE, longest, (code) => fits(shortened(blocks, code)));
  if (size !== undefined) return shortened(blocks, size);
  const short = shortened(blocks, SHORTEST_CODE);
  const kept = most(0, short.length, (count) => fits(withFewer(short, count)));
  return kept === undefined ? [] : withFewer(short, kept);
}

/**
 * Finds the greatest number from `least` to `greatest` that passes, by binary search. If a number passes, all smaller
 * ones must pass, too. Returns `undefined` if none passes.
 */
function most(least: number, greatest: number, passes: (number: number) => boolean): number | undefined {
  if (greatest < least || !passes(least)) return undefined;
  let good = least;
  let bad = greatest + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (passes(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

const shortened = (blocks: readonly Block[], code: number): readonly Block[] =>
  blocks.map((block) => (block.kind === 'code' ? { ...block, text: cutText(block.text, code) } : block));

/**
 * Returns the `count` most important blocks in their original order. All code blocks are more important than all other
 * blocks. Among blocks of the same kind, earlier blocks are more important.
 */
function withFewer(blocks: readonly Block[], count: number): readonly Block[] {
  const ranked = [...blocks.filter(({ kind }) => kind === 'code'), ...blocks.filter(({ kind }) => kind !== 'code')];
  const kept = new Set(ranked.slice(0, count));
  return [...blocks.filter((block) => kept.has(block)), ...(count < blocks.length ? [LEFT_OUT] : [])];
}
