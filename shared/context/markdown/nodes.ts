/**
 * The few kinds of nodes that Markdown of ours is made of. Words of ours are text; whatever came from a test is in code,
 * where nothing is markup: `quoted` in a line, `fenced` in a block. There are no images, no raw HTML, no addresses that a
 * reader's program makes links of, and no links but `linked`.
 */
import type { Code, Heading, InlineCode, Link, List, ListItem, Paragraph, PhrasingContent, Root, Table } from 'mdast';
import { visible, visibleLine } from '../plain-text.ts';

/** What a page consists of. */
export type Block = Heading | Paragraph | Code | List | Table;
/** Words of ours, or what a test said. */
export type Part = string | InlineCode | Link;

const EMPTY = '(empty)';

export const page = (...children: Block[]): Root => ({ type: 'root', children });

export const heading = (depth: Heading['depth'], words: string): Heading => ({
  type: 'heading',
  depth,
  children: [{ type: 'text', value: words }],
});

const phrasing = (part: Part): PhrasingContent => (typeof part === 'string' ? { type: 'text', value: part } : part);

export const paragraph = (...parts: readonly Part[]): Paragraph => ({
  type: 'paragraph',
  children: parts.map(phrasing),
});

export const quoted = (content: string): InlineCode => ({ type: 'inlineCode', value: visibleLine(content) || EMPTY });

/** Lines of content as they are. */
export const fenced = (content: string): Code => ({
  type: 'code',
  value: visible(content).replace(/^\n+/, '').trimEnd() || EMPTY,
});

/** Signed links of ours. Another address than one of the web is shown, and leads nowhere. */
export function linked(name: string, url: string): Link | InlineCode {
  const isOfTheWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  return isOfTheWeb ? { type: 'link', url, children: [quoted(name)] } : quoted(name);
}

const item = (...children: ListItem['children']): ListItem => ({ type: 'listItem', spread: false, children });

export const bullets = (lines: readonly (readonly Part[])[]): List => ({
  type: 'list',
  ordered: false,
  spread: false,
  children: lines.map((parts) => item(paragraph(...parts))),
});

export interface NumberedItem {
  readonly line: readonly Part[];
  readonly details: readonly (readonly Part[])[];
}

export const numbered = (start: number, items: readonly NumberedItem[]): List => ({
  type: 'list',
  ordered: true,
  start,
  spread: false,
  children: items.map(({ line, details }) => item(paragraph(...line), bullets(details))),
});

export const table = (head: readonly string[], rows: readonly (readonly Part[])[]): Table => ({
  type: 'table',
  children: [head, ...rows].map((cells) => ({
    type: 'tableRow',
    children: cells.map((cell) => ({ type: 'tableCell', children: [inCell(phrasing(cell))] })),
  })),
});

/** Parsers differ on a pipe that a backslash of the content precedes, even in code. */
const inCell = (node: PhrasingContent): PhrasingContent =>
  node.type === 'inlineCode' ? { ...node, value: node.value.replaceAll('|', '¦') } : node;

/** Nothing, where there is nothing to say. */
export const section = (depth: Heading['depth'], words: string, blocks: readonly Block[]): Block[] =>
  blocks.length > 0 ? [heading(depth, words), ...blocks] : [];
