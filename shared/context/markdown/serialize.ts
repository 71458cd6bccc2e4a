/** §4.3 A page as text, whole or within `max_length`. */
import type { Root, RootContent } from 'mdast';
import { cutNode, lengthOf } from './cut.ts';
import { paragraph, quoted } from './nodes.ts';
import { write } from './write.ts';

/**
 * `maxLength`: characters at most, counted in UTF-16 units, which are never fewer than code points. The beginning is kept;
 * what is left is a page of the same kind, and its last sentence says that it was cut and how to get the rest.
 */
export function serialize(root: Root, { maxLength }: { readonly maxLength?: number | undefined } = {}): string {
  const whole = write(...root.children);
  if (maxLength === undefined || whole.length <= maxLength) return whole;
  const notice = noticesOf(maxLength).find((sentence) => write(sentence).length <= maxLength);
  if (!notice) return '…'.slice(0, maxLength);
  return write(...beginning(root.children, maxLength - write(notice).length), notice);
}

/** From the one that says most. */
const noticesOf = (maxLength: number): RootContent[] => [
  paragraph(
    'This was cut to ',
    quoted(`max_length=${maxLength}`),
    ' characters. Ask again with a larger ',
    quoted('max_length'),
    ' or with none for the rest, or with ',
    quoted('detail=compact'),
    ' or ',
    quoted('detail=summary'),
    ' for the most important of all parts.',
  ),
  paragraph('Cut: ask again with a larger ', quoted('max_length'), '.'),
  paragraph('…'),
];

/** As much as fits before one more block. */
function beginning(blocks: readonly RootContent[], room: number): RootContent[] {
  const kept: RootContent[] = [];
  let left = room;
  for (const block of blocks) {
    // The empty line after it counts, too.
    const length = write(block).length + 1;
    if (length > left) {
      const part = longestPart(block, left - 1);
      if (part) kept.push(part);
      break;
    }
    kept.push(block);
    left -= length;
  }
  while (announces(kept.at(-1))) kept.pop();
  return kept;
}

/** The most of a block that is too long. What is said of it grows with what is kept of it, so half the rest is tried each time. */
function longestPart(block: RootContent, room: number): RootContent | undefined {
  let longest: RootContent | undefined;
  let fits = 0;
  let isTooMuch = lengthOf(block);
  while (isTooMuch - fits > 1) {
    const characters = Math.floor((fits + isTooMuch) / 2);
    const part = cutNode(block, { characters });
    if (part && write(part).length > room) {
      isTooMuch = characters;
    } else {
      longest = part ?? longest;
      fits = characters;
    }
  }
  return longest;
}

/** Headings and the like, which are nothing without what follows. */
function announces(block: RootContent | undefined): boolean {
  if (block?.type !== 'paragraph') return block?.type === 'heading';
  const last = block.children.at(-1);
  return last?.type === 'text' && last.value.endsWith(':');
}
