/**
 * The Markdown nodes that we use. Text that we write is plain text. Content from tests is always code, where markup has
 * no effect: `quoted` inline, `fenced` as a block. Images, raw HTML and automatic links never occur, and only `linked`
 * creates links.
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

const phrasing = (part: PhrasePart): PhrasingContent =>
  typeof part === 'string' ? { type: 'text', value: part } : part;

export const paragraph = (...parts: readonly PhrasePart[]): Paragraph => ({
  type: 'paragraph',
  children: parts.map(phrasing),
});

export const quoted = (content: string): InlineCode => ({
  type: 'inlineCode',
  value: makeVisibleLine(content) || EMPTY,
});

/** A code block with content from a test. Keeps its line breaks and indentation. */
export const fenced = (content: string): Code => ({
  type: 'code',
  value: makeVisible(content).replace(/^\n+/, '').trimEnd() || EMPTY,
});

/** A code block with these lines, or nothing if there are none. */
export const fencedLines = (lines: readonly string[]): Code[] => (lines.length > 0 ? [fenced(lines.join('\n'))] : []);

/**
 * A link to a file, by a signed URL, or to an issue in its tracker. For a URL with a scheme other than http or https,
 * only the name is shown.
 */
export function linked(name: string, url: string): Link | InlineCode {
  const isHttpUrl = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  return isHttpUrl ? { type: 'link', url, children: [quoted(name)] } : quoted(name);
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

export const numbered = (start: number, items: readonly NumberedItem[]): List => ({
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
    children: cells.map((cell) => ({ type: 'tableCell', children: [inCell(phrasing(cell))] })),
  })),
});

/** Replaces pipes in table cells, because Markdown parsers disagree about a backslash before a pipe, even in code. */
const inCell = (node: PhrasingContent): PhrasingContent =>
  node.type === 'inlineCode' ? { ...node, value: node.value.replaceAll('|', '¦') } : node;

/** A heading of the second level, followed by its blocks. Returns nothing if there are no blocks. */
export const section = (words: string, blocks: readonly Block[]): Block[] =>
  blocks.length > 0 ? [heading(2, words), ...blocks] : [];
