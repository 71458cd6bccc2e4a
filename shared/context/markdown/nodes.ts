/**
 * The Markdown nodes that we use. Our text is plain. Content from tests is always code, where markup has no effect:
 * `quote` inline, `codeBlock` as a block. There are no images, raw HTML or automatic links. Only `link` makes links.
 */
import type { Code, Heading, InlineCode, Link, List, ListItem, Paragraph, PhrasingContent, Root, Table } from 'mdast';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';

/** The types of top-level nodes on a page. */
export type Block = Heading | Paragraph | Code | List | Table;
/** Text that we write, quoted content, or a link. */
export type PhrasePart = string | InlineCode | Link;

const EMPTY = '(empty)';

export const document = (...children: Block[]): Root => ({ type: 'root', children });

export const heading = (depth: Heading['depth'], words: string): Heading => ({
  type: 'heading',
  depth,
  children: [{ type: 'text', value: words }],
});

const toPhrasing = (part: PhrasePart): PhrasingContent =>
  typeof part === 'string' ? { type: 'text', value: part } : part;

export const paragraph = (...parts: readonly PhrasePart[]): Paragraph => ({
  type: 'paragraph',
  children: parts.map(toPhrasing),
});

export const quote = (content: string): InlineCode => ({
  type: 'inlineCode',
  value: makeVisibleLine(content) || EMPTY,
});

export const codeBlock = (content: string): Code => ({
  type: 'code',
  value: makeVisible(content).replace(/^\n+/, '').trimEnd() || EMPTY,
});

export const makeCodeBlocks = (lines: readonly string[]): Code[] =>
  lines.length > 0 ? [codeBlock(lines.join('\n'))] : [];

/**
 * To a file, by a signed URL, or to an issue in its tracker. Shows only the name if the scheme is not http or https.
 */
export function link(name: string, url: string): Link | InlineCode {
  const isHttpUrl = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  return isHttpUrl ? { type: 'link', url, children: [quote(name)] } : quote(name);
}

const item = (...children: ListItem['children']): ListItem => ({ type: 'listItem', spread: false, children });

export const bullets = (lines: readonly (readonly PhrasePart[])[]): List => ({
  type: 'list',
  ordered: false,
  spread: false,
  children: lines.map((parts) => item(paragraph(...parts))),
});

export interface NumberedItem {
  readonly line: readonly PhrasePart[];
  readonly details: readonly (readonly PhrasePart[])[];
  readonly blocks: readonly Code[];
}

export const numberedList = (start: number, items: readonly NumberedItem[]): List => ({
  type: 'list',
  ordered: true,
  start,
  spread: false,
  children: items.map(({ line, details, blocks }) => item(paragraph(...line), bullets(details), ...blocks)),
});

export const table = (head: readonly string[], rows: readonly (readonly PhrasePart[])[]): Table => ({
  type: 'table',
  children: [head, ...rows].map((cells) => ({
    type: 'tableRow',
    children: cells.map((cell) => ({ type: 'tableCell', children: [replacePipes(toPhrasing(cell))] })),
  })),
});

/** Replaces pipes in table cells, because Markdown parsers disagree about a backslash before a pipe, even in code. */
const replacePipes = (node: PhrasingContent): PhrasingContent =>
  node.type === 'inlineCode' ? { ...node, value: node.value.replaceAll('|', '¦') } : node;

export const section = (words: string, blocks: readonly Block[]): Block[] =>
  blocks.length > 0 ? [heading(2, words), ...blocks] : [];
