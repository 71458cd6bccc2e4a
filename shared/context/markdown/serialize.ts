/** §4.3 Serializes a page, complete or within `max_length`. */
import type { Link, Root, RootContent } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';
import { cutNode, lengthOf } from './cut.ts';
import { paragraph, quoted } from './nodes.ts';

/**
 * Writes link addresses without escapes: AI tools copy them literally, and `\\&` for `&` would break them. Angle brackets make
 * escapes unnecessary, because a normalized URL contains neither brackets nor spaces.
 */
const link: Handle = (node: Link, _parent, state, info) =>
  `[${state.containerPhrasing(node, info)}](<${new URL(node.url).href}>)`;

const OPTIONS: Options = {
  handlers: { link },
  bullet: '-',
  listItemIndent: 'one',
  // Cells have no padding: one long cell would widen all others of its column.
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
};

/** Writes blocks as Markdown that ends with a line break. An empty line separates two blocks. */
const write = (...children: RootContent[]): string => toMarkdown({ type: 'root', children }, OPTIONS);

/**
 * Writes a page as Markdown of at most `maxLength` UTF-16 units, which are never fewer than code points. Keeps the
 * beginning as a valid page. The last sentence says that the page was cut and how to get the rest.
 */
export function serialize(root: Root, { maxLength }: { readonly maxLength?: number | undefined } = {}): string {
  const whole = write(...root.children);
  if (maxLength === undefined || whole.length <= maxLength) return whole;
  const notice = noticesOf(maxLength).find((sentence) => write(sentence).length <= maxLength);
  if (!notice) return '…'.slice(0, maxLength);
  return write(...beginning(root.children, maxLength - write(notice).length), notice);
}

/** The notices of a cut, from the most to the least helpful. */
const noticesOf = (maxLength: number): RootContent[] => [
  paragraph(
    'This page was cut to ',
    quoted(`max_length=${maxLength}`),
    ' characters. For the rest, send a larger ',
    quoted('max_length'),
    ' or none. Send ',
    quoted('detail=compact'),
    ' or ',
    quoted('detail=summary'),
    ' for the most important parts only.',
  ),
  paragraph('Cut: send a larger ', quoted('max_length'), '.'),
  paragraph('…'),
];

/** The longest prefix that leaves room for the notice. */
function beginning(blocks: readonly RootContent[], room: number): RootContent[] {
  const kept: RootContent[] = [];
  let left = room;
  for (const block of blocks) {
    // The length of a block with the empty line after it.
    const length = write(block).length + 1;
    if (length > left) {
      const part = longestPart(block, left - 1);
      if (part) kept.push(part);
      break;
    }
    kept.push(block);
    left -= length;
  }
  while (introducesNext(kept.at(-1))) kept.pop();
  return kept;
}

/**
 * The longest part of an oversized block that fits. Found by binary search, because the written length grows with the
 * kept part.
 */
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

/** Headings and similar blocks are useless without the blocks that follow. */
function introducesNext(block: RootContent | undefined): boolean {
  if (block?.type !== 'paragraph') return block?.type === 'heading';
  const last = block.children.at(-1);
  return last?.type === 'text' && last.value.endsWith(':');
}
