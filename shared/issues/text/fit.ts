/** Cuts the text of an issue so that the tracker accepts its length. */
import { cutText } from '#shared/engine/cut-text.ts';
import type { TextBlock } from './blocks.ts';

/** The length to which code blocks are shortened before whole blocks are left out. */
const SHORTEST_CODE = 500;
const LEFT_OUT: TextBlock = { kind: 'paragraph', spans: [{ kind: 'text', text: 'The rest was cut' }] };

/**
 * Shortens code blocks first, because usually only they are long. Then leaves out whole blocks from the end, and code
 * blocks last, because they contain the error.
 */
export function fitBlocks(
  blocks: readonly TextBlock[],
  characters: number,
  measure: (blocks: readonly TextBlock[]) => number,
): readonly TextBlock[] {
  const fits = (some: readonly TextBlock[]) => measure(some) <= characters;
  if (fits(blocks)) return blocks;
  const longestCode = Math.max(0, ...blocks.map((block) => (block.kind === 'code' ? block.text.length : 0)));
  const size = findGreatest(SHORTEST_CODE, longestCode, (code) => fits(shortenCode(blocks, code)));
  if (size !== undefined) return shortenCode(blocks, size);
  const shortBlocks = shortenCode(blocks, SHORTEST_CODE);
  const keptCount = findGreatest(0, shortBlocks.length, (count) => fits(keepMostImportant(shortBlocks, count)));
  return keptCount === undefined ? [] : keepMostImportant(shortBlocks, keptCount);
}

/** Binary search. If a number passes, all smaller ones must pass, too. Returns `undefined` if none passes. */
function findGreatest(least: number, greatest: number, passes: (number: number) => boolean): number | undefined {
  if (greatest < least || !passes(least)) return undefined;
  let low = least;
  let high = greatest + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const shortenCode = (blocks: readonly TextBlock[], code: number): readonly TextBlock[] =>
  blocks.map((block) => (block.kind === 'code' ? { ...block, text: cutText(block.text, code) } : block));

/** Keeps the order. Code blocks are more important than others, and earlier blocks of a kind than later ones. */
function keepMostImportant(blocks: readonly TextBlock[], count: number): readonly TextBlock[] {
  const rankedBlocks = [
    ...blocks.filter(({ kind }) => kind === 'code'),
    ...blocks.filter(({ kind }) => kind !== 'code'),
  ];
  const keptBlocks = new Set(rankedBlocks.slice(0, count));
  return [...blocks.filter((block) => keptBlocks.has(block)), ...(count < blocks.length ? [LEFT_OUT] : [])];
}
