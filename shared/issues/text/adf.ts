/**
 * Writes text in the Atlassian Document Format of Jira Cloud. Jira reads no markup, mentions or links in its text
 * nodes, so text from test reports has no effect there.
 */
import type { Block, Span } from './blocks.ts';
import { fitted } from './fit.ts';
import { codeLines, linesOf, shownSpans } from './spans.ts';

type Mark = { readonly type: 'code' } | { readonly type: 'link'; readonly attrs: { readonly href: string } };

interface TextNode {
  readonly type: 'text';
  readonly text: string;
  readonly marks?: readonly Mark[];
}

interface ParagraphNode {
  readonly type: 'paragraph';
  readonly content: readonly TextNode[];
}

type BlockNode =
  | ParagraphNode
  | { readonly type: 'codeBlock'; readonly content: readonly TextNode[] }
  | {
      readonly type: 'bulletList';
      readonly content: readonly { readonly type: 'listItem'; readonly content: readonly ParagraphNode[] }[];
    };

export interface AdfDocument {
  readonly type: 'doc';
  readonly version: 1;
  readonly content: readonly BlockNode[];
}

/** The blocks in `last` stay even if the text is cut. The limit counts the characters of the JSON. */
export function adfOf(blocks: readonly Block[], characters: number, last: readonly Block[] = []): AdfDocument {
  const length = (some: readonly Block[]) => JSON.stringify(written([...some, ...last])).length;
  return written([...fitted(blocks, characters, length), ...last]);
}

const written = (blocks: readonly Block[]): AdfDocument => ({
  type: 'doc',
  version: 1,
  content: blocks.flatMap(nodesOf),
});

/** Jira refuses empty text nodes and empty lists, so blocks without text are left out. */
function nodesOf(block: Block): readonly BlockNode[] {
  switch (block.kind) {
    case 'paragraph':
      return linesOf(block.spans).map(paragraph);
    case 'code': {
      const text = codeLines(block.text);
      return text === '' ? [] : [{ type: 'codeBlock', content: [{ type: 'text', text }] }];
    }
    case 'list': {
      const items = block.items
        .map(shownSpans)
        .filter((spans) => spans.length > 0)
        .map(paragraph);
      if (items.length === 0) return [];
      return [{ type: 'bulletList', content: items.map((item) => ({ type: 'listItem', content: [item] })) }];
    }
  }
}

const paragraph = (spans: readonly Span[]): ParagraphNode => ({ type: 'paragraph', content: spans.map(textNode) });

function textNode(span: Span): TextNode {
  const { text } = span;
  switch (span.kind) {
    case 'text':
      return { type: 'text', text };
    case 'code':
      return { type: 'text', text, marks: [{ type: 'code' }] };
    case 'link':
      return { type: 'text', text, marks: [{ type: 'link', attrs: { href: span.url } }] };
  }
}
