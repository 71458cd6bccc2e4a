/** §4.3 Serializes a page, either completely or cut to `max_length`. */
import type { Link, ListItem, Nodes, Paragraph, PhrasingContent, Root, RootContent, TableRow } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { paragraph, quote } from './nodes.ts';

/**
 * Writes the URLs of links without escapes: AI tools copy them literally, and `\&` for `&` would break them. Angle
 * brackets make escapes unnecessary, because a normalized URL contains neither angle brackets nor spaces.
 */
const link: Handle = (node: Link, _parent, state, info) =>
  `[${state.containerPhrasing(node, info)}](<${new URL(node.url).href}>)`;

const OPTIONS: Options = {
  handlers: { link },
  bullet: '-',
  listItemIndent: 'one',
  // Cells are not padded, because one long cell would widen all other cells of its column.
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
};

/** Writes blocks as Markdown that ends with a line break. An empty line separates two blocks. */
const writeMarkdown = (...children: RootContent[]): string => toMarkdown({ type: 'root', children }, OPTIONS);

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

/** Finds the longest beginning that fits, by binary search: the written Markdown grows with this beginning. */
function cutBlock(block: RootContent, room: number): RootContent | undefined {
  let longestBeginning: RootContent | undefined;
  let fits = 0;
  let isTooMuch = measureLength(block);
  while (isTooMuch - fits > 1) {
    const characters = Math.floor((fits + isTooMuch) / 2);
    const part = cutNode(block, { characters });
    if (part && writeMarkdown(part).length > room) {
      isTooMuch = characters;
    } else {
      longestBeginning = part ?? longestBeginning;
      fits = characters;
    }
  }
  return longestBeginning;
}

/** Whether a block, such as a heading, is useless without the block that follows. */
function isIntroduction(block: RootContent | undefined): boolean {
  if (block?.type !== 'paragraph') return block?.type === 'heading';
  const last = block.children.at(-1);
  return last?.type === 'text' && last.value.endsWith(':');
}

// Cuts a Markdown tree to a length. The result is still a valid tree, so every code fence, list and table is closed.

/** The remaining characters, counted down during the traversal. */
interface CharactersLeft {
  characters: number;
}

function measureLength(node: Nodes): number {
  if ('value' in node) return node.value.length;
  return 'children' in node ? node.children.reduce((sum, child) => sum + measureLength(child), 0) : 0;
}

/** Returns the node itself if it fits completely, or `undefined` if no part of it fits. */
function cutNode(node: RootContent, allowance: CharactersLeft): RootContent | undefined {
  switch (node.type) {
    case 'code':
      return cutText(node, allowance);
    case 'paragraph':
      return cutParagraph(node, allowance);
    case 'list':
      return replaceChildren(node, cutNodes(node.children, allowance, cutItem), 1);
    case 'table':
      // A table is left out if no body row fits, because its header alone says nothing.
      return replaceChildren(node, cutNodes(node.children, allowance, keepWhole<TableRow>), 2);
    default:
      return keepWhole(node, allowance);
  }
}

function cutParagraph(node: Paragraph, allowance: CharactersLeft): Paragraph | undefined {
  const children = cutNodes(node.children, allowance, cutPhrasing);
  // A text is dropped if the part that it introduces was cut off.
  const last = children.at(-1);
  if (children.length < node.children.length && last?.type === 'text' && node.children.includes(last)) children.pop();
  return replaceChildren(node, children, 1);
}

const cutPhrasing = (node: PhrasingContent, allowance: CharactersLeft): PhrasingContent | undefined =>
  node.type === 'text' || node.type === 'inlineCode' ? cutText(node, allowance) : keepWhole(node, allowance);

const cutItem = (node: ListItem, allowance: CharactersLeft): ListItem | undefined =>
  replaceChildren(node, cutNodes(node.children, allowance, cutInItem), 1);

function cutInItem(
  node: ListItem['children'][number],
  allowance: CharactersLeft,
): ListItem['children'][number] | undefined {
  if (node.type === 'paragraph') return cutParagraph(node, allowance);
  if (node.type === 'list') return replaceChildren(node, cutNodes(node.children, allowance, cutItem), 1);
  return keepWhole(node, allowance);
}

function cutText<Node extends { value: string }>(node: Node, allowance: CharactersLeft): Node | undefined {
  const { characters } = allowance;
  allowance.characters -= node.value.length;
  if (allowance.characters >= 0) return node;
  const value = takeFirstCharacters(node.value, characters - 1);
  return value === '' ? undefined : { ...node, value: `${value}…` };
}

function keepWhole<Node extends Nodes>(node: Node, allowance: CharactersLeft): Node | undefined {
  allowance.characters -= measureLength(node);
  return allowance.characters >= 0 ? node : undefined;
}

/** The items that fit, and then the part of the next item that still fits. */
function cutNodes<Node>(
  nodes: readonly Node[],
  allowance: CharactersLeft,
  cut: (node: Node, allowance: CharactersLeft) => Node | undefined,
): Node[] {
  const keptNodes: Node[] = [];
  for (const node of nodes) {
    const part = cut(node, allowance);
    if (part !== undefined) keptNodes.push(part);
    if (part !== node) break;
  }
  return keptNodes;
}

function replaceChildren<Child, Parent extends { children: Child[] }>(
  parent: Parent,
  children: Child[],
  least: number,
): Parent | undefined {
  if (children.length < least) return undefined;
  const isWhole = children.length === parent.children.length && children.at(-1) === parent.children.at(-1);
  return isWhole ? parent : { ...parent, children };
}
