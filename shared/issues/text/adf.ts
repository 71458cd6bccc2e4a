/**
 * Writes text in the Atlassian Document Format of Jira Cloud. Jira reads no markup, mentions or links in its text
 * nodes, so text from test reports has no effect there.
 */
import type { TextBlock, TextSpan } from './blocks.ts';
import { fitBlocks } from './fit.ts';
import { formatCodeLines, normalizeSpans, splitLines } from './spans.ts';

type AdfMark = { readonly type: 'code' } | { readonly type: 'link'; readonly attrs: { readonly href: string } };

interface TextNode {
  readonly type: 'text';
  readonly text: string;
  readonly marks?: readonly AdfMark[];
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
export function toAdf(blocks: readonly TextBlock[], characters: number, last: readonly TextBlock[] = []): AdfDocument {
  const length = (some: readonly TextBlock[]) => JSON.stringify(toDocument([...some, ...last])).length;
  return toDocument([...fitBlocks(blocks, characters, length), ...last]);
}

const toDocument = (blocks: readonly TextBlock[]): AdfDocument => ({
  type: 'doc',
  version: 1,
  content: blocks.flatMap(toNodes),
});

/** Jira refuses empty text nodes and empty lists, so blocks without text are left out. */
function toNodes(block: TextBlock): readonly BlockNode[] {
  switch (block.kind) {
    case 'paragraph':
      return splitLines(block.spans).map(toParagraph);
    case 'code': {
      const text = formatCodeLines(block.text);
      return text === '' ? [] : [{ type: 'codeBlock', content: [{ type: 'text', text }] }];
    }
    case 'list': {
      const items = block.items
        .map(normalizeSpans)
        .filter((spans) => spans.length > 0)
        .map(toParagraph);
      if (items.length === 0) return [];
      return [{ type: 'bulletList', content: items.map((item) => ({ type: 'listItem', content: [item] })) }];
    }
  }
}

const toParagraph = (spans: readonly TextSpan[]): ParagraphNode => ({
  type: 'paragraph',
  content: spans.map(toTextNode),
});

function toTextNode(span: TextSpan): TextNode {
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
