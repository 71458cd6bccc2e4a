/**
 * Writes text in the Markdown of GitHub, GitLab and Linear. They recognize mentions, issue numbers, addresses and emoji
 * after they have removed backslashes, so escaping does not help. They recognize none of these in code. So a word stays
 * as it is only if it is certain to be harmless, and all other words become code.
 */
import type { Block, Span } from './blocks.ts';
import { fitted } from './fit.ts';
import { codeLines, inParagraphs, linesOf, shownSpans } from './spans.ts';

export function markdownOf(blocks: readonly Block[], characters: number): string {
  return written(fitted(blocks, characters, (some) => written(some).length));
}

/** A comment in Markdown, which GitHub and GitLab do not show. */
export const markerComment = (marker: string): string => `<!-- rundown ${marker} -->`;

/** The text with the marker in a hidden comment at its end. */
export function markedMarkdownOf(blocks: readonly Block[], marker: string, characters: number): string {
  const hidden = `\n\n${markerComment(marker)}`;
  return `${markdownOf(blocks, characters - hidden.length)}${hidden}`;
}

const written = (blocks: readonly Block[]): string => inParagraphs(blocks.map(writtenBlock));

function writtenBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return linesOf(block.spans).map(writtenLine).join('\n\n');
    case 'code':
      return fenced(codeLines(block.text));
    case 'list':
      return block.items
        .map(shownSpans)
        .filter((spans) => spans.length > 0)
        .map((spans) => `- ${writtenLine(spans)}`)
        .join('\n');
  }
}

const FENCE = 3;

/**
 * Uses a fence that is longer than any run of backticks in the text. GitLab looks for quick actions (lines such as
 * `/close`) with a simpler rule: three backticks alone on a line end the code. The word after the opening fence keeps
 * GitLab from reading that fence as an end. If the text itself contains a fence, a space is put before each slash at
 * the beginning of a line.
 */
function fenced(text: string): string {
  if (text === '') return '';
  const longest = longestRun(text);
  const fence = '`'.repeat(Math.max(FENCE, longest + 1));
  const shown = longest < FENCE ? text : text.replaceAll(/^\//gm, ' /');
  return `${fence}text\n${shown}\n${fence}`;
}

const longestRun = (text: string): number =>
  [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0);

/** A piece of a line: text without any markup, inline code, or a link. */
type Piece =
  | { readonly kind: 'plain' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly url: string };

const writtenLine = (spans: readonly Span[]): string =>
  joined(spans.flatMap((span, at) => piecesOf(span, at === 0)))
    .map(writtenPiece)
    .join('')
    .trim();

function piecesOf(span: Span, isFirst: boolean): readonly Piece[] {
  switch (span.kind) {
    case 'text':
      return wordsOf(span.text, isFirst);
    case 'code':
      return [{ kind: 'code', text: span.text }];
    case 'link':
      return [span];
  }
}

/** Splits a text into words that are harmless and words that are not. `isFirst`: whether the text begins the line. */
function wordsOf(text: string, isFirst: boolean): readonly Piece[] {
  let isBeginning = isFirst;
  return (text.match(/ +|[^ ]+/g) ?? []).map((word) => {
    if (word.startsWith(' ')) return { kind: 'plain', text: word };
    const isHarmless = HARMLESS.test(word) && !looksLikeCommit(word) && !(isBeginning && NUMBER_OF_LIST.test(word));
    isBeginning = false;
    return { kind: isHarmless ? 'plain' : 'code', text: word };
  });
}

/**
 * Words and numbers with punctuation around them, or a single separator such as `–` or `·`. Does not match `ENG-12`,
 * `www.example.com` or `12:30:45`.
 */
const HARMLESS =
  /^(?:[("'“‘]{0,3}(?:[\p{L}\p{M}\d]+(?:[-'’]\p{L}[\p{L}\p{M}\d]*)*|\d+(?:[.,]\d+)+|\d{4}-\d\d-\d\d)?[.,;:?)"'”’…]{0,4}|[–—·›…])$/u;
/** GitHub and GitLab turn commit hashes into links. */
const looksLikeCommit = (word: string): boolean => word.split(/[^\p{L}\d]+/u).some((part) => COMMIT.test(part));
const COMMIT = /^[\da-f]{7,64}$/i;
const NUMBER_OF_LIST = /^\d+[.)]$/;

/** Joins code with code, because the backticks of two code spans side by side would be read as one run. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const isSame = last?.kind === piece.kind && piece.kind !== 'link';
    if (isSame) result[result.length - 1] = { kind: piece.kind, text: last.text + piece.text };
    else result.push(piece);
  }
  return result;
}

function writtenPiece(piece: Piece): string {
  switch (piece.kind) {
    case 'plain':
      return piece.text;
    case 'code':
      return inlineCode(piece.text);
    case 'link':
      return `[${linkText(piece.text)}](<${piece.url.replaceAll('<', '%3C').replaceAll('>', '%3E')}>)`;
  }
}

const linkText = (text: string): string => writtenLine([{ kind: 'text', text }]) || 'link';

/** Spaces separate the delimiters from a text that begins or ends with backticks. Markdown removes these spaces. */
function inlineCode(text: string): string {
  const delimiter = '`'.repeat(longestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${delimiter}${space}${text}${space}${delimiter}`;
}
