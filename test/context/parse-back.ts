/** What a reader's Markdown program makes of a page: CommonMark with all of GFM, literal addresses included. */
import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export const parse = (markdown: string): Root =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

/** Where links of ours lead in these tests. */
export const OURS = 'https://ours.example/';

export interface Outline {
  readonly type: string;
  readonly depth?: number | undefined;
  readonly start?: number | undefined;
  readonly checked?: boolean | undefined;
  /** Only of text that is no code: it has to be ours. */
  readonly words?: string | undefined;
  readonly leadsTo?: string | undefined;
  readonly children?: readonly Outline[] | undefined;
}

/** The tree without what stands in code, which is where content belongs. */
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

/** All nodes, a parent before its children. */
export const allNodes = (node: Nodes): Nodes[] => [
  node,
  ...('children' in node ? node.children.flatMap(allNodes) : []),
];
