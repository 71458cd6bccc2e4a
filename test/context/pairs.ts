/** Pairs of pages with the same shape: one page is filled with harmless words, and the other one with hostile texts. */
import fc from 'fast-check';
import type { ContextData } from '#shared/context/context-wire.ts';
import type { Detail } from '#shared/context/detail.ts';
import { renderContext } from '#shared/context/markdown/context-text.ts';
import { serializePage } from '#shared/context/markdown/serialize.ts';
import type { Texts } from './any-context.ts';
import { hostileText } from './hostile.ts';
import { allNodes, type Outline, outline, parse } from './parse-back.ts';

export type Fill<Shape> = (shape: Shape, text: Texts) => ContextData;

/** The number of hostile pages per harmless page. */
const HOSTILE_PER_SHAPE = 10;

/** The fixed time at which pages are rendered. */
export const NOW = Date.parse('2026-11-02T10:00:00Z');

export const pageOf = (context: ContextData, maxLength?: number, detail: Detail = 'default'): string =>
  serializePage(renderContext(context, { detail, now: NOW }), { maxLength });

/** Returns a function that cycles through the texts. */
export function inTurn(texts: readonly string[]): Texts {
  let next = 0;
  return () => {
    const text = texts[next % texts.length];
    next += 1;
    return text ?? '';
  };
}

function harmlessWords(): Texts {
  let next = 0;
  return () => {
    next += 1;
    return `word${next}`;
  };
}

export const hostileTexts = fc.array(hostileText, { minLength: 3, maxLength: 9 });

/**
 * Renders pairs of pages. `check` receives the outlines of both pages and the hostile page, and throws if the outlines
 * differ.
 */
export function checkPairs<Shape>(
  numRuns: number,
  shape: fc.Arbitrary<Shape>,
  fill: Fill<Shape>,
  check: (hostile: Outline, harmless: Outline, page: string) => void,
): void {
  const fillings = fc.array(hostileTexts, { minLength: HOSTILE_PER_SHAPE, maxLength: HOSTILE_PER_SHAPE });
  const property = fc.property(shape, fillings, (of, all) => {
    const harmless = outline(parse(pageOf(fill(of, harmlessWords()))));
    for (const texts of all) {
      const page = pageOf(fill(of, inTurn(texts)));
      check(outline(parse(page)), harmless, page);
    }
  });
  fc.assert(property, { numRuns });
}

/** Kinds of Markdown nodes that the service itself never writes. */
export const FOREIGN_KINDS: ReadonlySet<string> = new Set([
  'html',
  'image',
  'imageReference',
  'linkReference',
  'definition',
  'footnoteDefinition',
  'footnoteReference',
  'blockquote',
  'thematicBreak',
  'break',
  'emphasis',
  'strong',
  'delete',
]);

export const kindsOf = (page: string): Set<string> => new Set(allNodes(parse(page)).map(({ type }) => type));
