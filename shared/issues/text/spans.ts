/** Prepares code blocks, lines and spans, in the same way for all text formats of trackers. */
import { makeVisible } from '#shared/engine/plain-text.ts';
import type { TextSpan } from './blocks.ts';

export const joinParagraphs = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** The lines of a code block, with invisible characters spelled out and without empty lines around them. */
export const formatCodeLines = (text: string): string => makeVisible(text).replace(/^\n+/, '').trimEnd();

/** The lines of a paragraph. A comment that a person entered may have several. */
export function splitLines(spans: readonly TextSpan[]): readonly (readonly TextSpan[])[] {
  const lines: TextSpan[][] = [[]];
  for (const span of spans) {
    const [first = '', ...more] = span.kind === 'text' ? makeVisible(span.text).split('\n') : [];
    lines.at(-1)?.push(span.kind === 'text' ? { ...span, text: first } : span);
    for (const text of more) lines.push([{ kind: 'text', text }]);
  }
  return lines.map(normalizeSpans).filter((line) => line.length > 0);
}

/**
 * Neighbors of the same kind become one span, because two harmless texts can form a mention or a link together. Spaces
 * around a text stay, because they separate it from its neighbors.
 */
export function normalizeSpans(spans: readonly TextSpan[]): readonly TextSpan[] {
  const visibleSpans: TextSpan[] = [];
  for (const span of spans) {
    const line = makeVisible(span.text).replaceAll(/[\n\t]/g, ' ');
    const text = span.kind === 'code' ? line.trim() : line;
    if (text === '') continue;
    const visibleSpan = span.kind === 'link' ? toLink(text, span.url) : { kind: span.kind, text };
    const last = visibleSpans.at(-1);
    if (last?.kind === visibleSpan.kind && visibleSpan.kind !== 'link')
      visibleSpans[visibleSpans.length - 1] = { ...visibleSpan, text: last.text + visibleSpan.text };
    else visibleSpans.push(visibleSpan);
  }
  return visibleSpans.every(({ text }) => text.trim() === '') ? [] : visibleSpans;
}

/** Only web addresses become links. */
function toLink(text: string, url: string): TextSpan {
  const address = URL.parse(url);
  return address?.protocol === 'https:' || address?.protocol === 'http:'
    ? { kind: 'link', text, url: address.href.replaceAll('\\', '%5C') }
    : { kind: 'text', text };
}
