/** Pairs of pages of one shape: one filled with harmless words, the other with hostile texts. */
import fc from 'fast-check';
import { contextMarkdown } from '#shared/context/markdown/context-markdown.ts';
import { serialize } from '#shared/context/markdown/serialize.ts';
import type { ContextData } from '#shared/context/shape.ts';
import type { Texts } from './any-context.ts';
import { hostileText } from './hostile.ts';
import { allNodes, type Outline, outline, parse } from './parse-back.ts';

export type Fill<Shape> = (shape: Shape, text: Texts) => ContextData;

/** Hostile pages that are compared with each harmless one. */
const HOSTILE_PER_SHAPE = 10;

/** `CONTEXT_CASES=20000` for as many as the guarantees name; a run of all tests does with fewer. */
export const CASES = Number(process.env['CONTEXT_CASES'] ?? 1500);
const KINDS_OF_PAGES = 3;
const shapes = Math.ceil(CASES / KINDS_OF_PAGES / HOSTILE_PER_SHAPE);

export const pageOf = (context: ContextData, maxLength?: number): string =>
  serialize(contextMarkdown(context), { maxLength });

/** In turn, and from the beginning again. */
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

/** `check` gets what readers see of both pages, and throws where they differ in more than the content. */
export function checkPairs<Shape>(
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
  fc.assert(property, { numRuns: shapes });
}

/** Kinds of nodes that a page of ours never has. */
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
