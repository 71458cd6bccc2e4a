/** Parses a page as a Markdown viewer does: CommonMark with all extensions of GFM, including autolinks. */
import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export const parse = (markdown: string): Root =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

/** The origin of the service's own links in these tests. */
export const OURS = 'https://ours.example/';

export interface Outline {
  readonly type: string;
  readonly depth?: number | undefined;
  readonly start?: number | undefined;
  readonly checked?: boolean | undefined;
  /** Text outside code, which only the service itself may write. */
  readonly words?: string | undefined;
  readonly leadsTo?: string | undefined;
  readonly children?: readonly Outline[] | undefined;
}

/** The structure of a page: its tree of nodes without the content of code. */
export function outline(node: Nodes): Outline {
  return {
    type: node.type,
    ...(node.type === 'heading' ? { depth: node.depth } : {}),
    ...(node.type === 'list' ? { start: node.start ?? undefined } : {}),
    ...(node.type === 'listItem' && node.checked != null ? { checked: node.checked } : {}),
    ...(node.type === 'text' ? { words: node.value } : {}),
    ...(node.type === 'link' ? { leadsTo: node.url.startsWith(OURS) ? 'ours' : node.url } : {}),
    ...('children' in node ? { children: node.children.map(outline) } : {}),
  };
}

/** All nodes, parents first. */
export const allNodes = (node: Nodes): Nodes[] => [
  node,
  ...('children' in node ? node.children.flatMap(allNodes) : []),
];
