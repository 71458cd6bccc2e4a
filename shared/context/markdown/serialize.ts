/** §4.3 Serializes a page, either completely or cut to `max_length`. */
import type { Root, RootContent } from 'mdast';
import { cutBlock } from './cut-block.ts';
import { paragraph, quote } from './nodes.ts';
import { writeMarkdown } from './write-markdown.ts';

/**
 * At most `maxLength` UTF-16 units, and therefore code points. Keeps the beginning as a valid page. A notice at the end
 * says that the page was cut and, if there is room, how to get the rest.
 */
export function serializePage(root: Root, { maxLength }: { readonly maxLength?: number | undefined } = {}): string {
  const markdown = writeMarkdown(...root.children);
  if (maxLength === undefined || markdown.length <= maxLength) return markdown;
  const notice = listNotices(maxLength).find((sentence) => writeMarkdown(sentence).length <= maxLength);
  if (!notice) return '…'.slice(0, maxLength);
  return writeMarkdown(...keepBeginning(root.children, maxLength - writeMarkdown(notice).length), notice);
}

/** The possible notices that the page was cut, from the most to the least helpful. */
const listNotices = (maxLength: number): RootContent[] => [
  paragraph(
    'This page was cut to ',
    quote(`max_length=${maxLength}`),
    ' characters. For the rest, send a larger ',
    quote('max_length'),
    ' or none. Send ',
    quote('detail=compact'),
    ' or ',
    quote('detail=summary'),
    ' for the most important parts only.',
  ),
  paragraph('Cut: send a larger ', quote('max_length'), '.'),
  paragraph('…'),
];

function keepBeginning(blocks: readonly RootContent[], room: number): RootContent[] {
  const keptBlocks: RootContent[] = [];
  let left = room;
  for (const block of blocks) {
    // The length of a block with the empty line after it.
    const length = writeMarkdown(block).length + 1;
    if (length > left) {
      const part = cutBlock(block, left - 1);
      if (part) keptBlocks.push(part);
      break;
    }
    keptBlocks.push(block);
    left -= length;
  }
  while (isIntroduction(keptBlocks.at(-1))) keptBlocks.pop();
  return keptBlocks;
}

/** Whether a block, such as a heading, is useless without the block that follows. */
function isIntroduction(block: RootContent | undefined): boolean {
  if (block?.type !== 'paragraph') return block?.type === 'heading';
  const last = block.children.at(-1);
  return last?.type === 'text' && last.value.endsWith(':');
}
