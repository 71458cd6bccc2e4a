/** Prepares code blocks, lines and spans, in the same way for all text formats of trackers. */
import { makeVisible } from '#shared/engine/plain-text.ts';
import type { Span } from './blocks.ts';

/** The parts of a text with an empty line between them. Empty parts are left out. */
export const inParagraphs = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** The lines of a code block, with invisible characters spelled out and without empty lines around them. */
export const codeLines = (text: string): string => makeVisible(text).replace(/^\n+/, '').trimEnd();

/** The lines of a paragraph. A comment that a person entered may have several. */
export function linesOf(spans: readonly Span[]): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]];
  for (const span of spans) {
    const [first = '', ...more] = span.kind === 'text' ? makeVisible(span.text).split('\n') : [];
    lines.at(-1)?.push(span.kind === 'text' ? { ...span, text: first } : span);
    for (const text of more) lines.push([{ kind: 'text', text }]);
  }
  return lines.map(shownSpans).filter((line) => line.length > 0);
}

/**
 * The spans of one line as the reader sees them. Neighbors of the same kind become one span, because two harmless texts
 * can form a mention or a link together. Spaces around a text stay, because they separate it from its neighbors.
 */
export function shownSpans(spans: readonly Span[]): readonly Span[] {
  const shown: Span[] = [];
  for (const span of spans) {
    const line = makeVisible(span.text).replaceAll(/[\n\t]/g, ' ');
    const text = span.kind === 'code' ? line.trim() : line;
    if (text === '') continue;
    const own = span.kind === 'link' ? linked(text, span.url) : { kind: span.kind, text };
    const last = shown.at(-1);
    if (last?.kind === own.kind && own.kind !== 'link')
      shown[shown.length - 1] = { ...own, text: last.text + own.text };
    else shown.push(own);
  }
  return shown.every(({ text }) => text.trim() === '') ? [] : shown;
}

/** Only web addresses become links. */
function linked(text: string, url: string): Span {
  const address = URL.parse(url);
  return address?.protocol === 'https:' || address?.protocol === 'http:'
    ? { kind: 'link', text, url: address.href.replaceAll('\\', '%5C') }
    : { kind: 'text', text };
}
