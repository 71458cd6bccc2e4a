/**
 * Writes text in the Markdown of GitHub, GitLab and Linear. They recognize mentions, issue numbers, addresses and emoji
 * after they have removed backslashes, so escaping does not help. They recognize none of these in code. So a word stays
 * as it is only if it is certain to be harmless, and all other words become code.
 */
import type { TextBlock, TextSpan } from './blocks.ts';
import { fitBlocks } from './fit.ts';
import { formatCodeLines, joinParagraphs, normalizeSpans, splitLines } from './spans.ts';

export function toMarkdown(blocks: readonly TextBlock[], characters: number): string {
  return writeBlocks(fitBlocks(blocks, characters, (some) => writeBlocks(some).length));
}

/** A comment in Markdown, which GitHub and GitLab do not show. */
export const formatMarkerComment = (marker: string): string => `<!-- rundown ${marker} -->`;

export function toMarkedMarkdown(blocks: readonly TextBlock[], marker: string, characters: number): string {
  const comment = `\n\n${formatMarkerComment(marker)}`;
  return `${toMarkdown(blocks, characters - comment.length)}${comment}`;
}

const writeBlocks = (blocks: readonly TextBlock[]): string => joinParagraphs(blocks.map(writeBlock));

function writeBlock(block: TextBlock): string {
  switch (block.kind) {
    case 'paragraph':
      return splitLines(block.spans).map(writeLine).join('\n\n');
    case 'code':
      return formatCodeBlock(formatCodeLines(block.text));
    case 'list':
      return block.items
        .map(normalizeSpans)
        .filter((spans) => spans.length > 0)
        .map((spans) => `- ${writeLine(spans)}`)
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
function formatCodeBlock(text: string): string {
  if (text === '') return '';
  const runLength = measureLongestRun(text);
  const fence = '`'.repeat(Math.max(FENCE, runLength + 1));
  const safeText = runLength < FENCE ? text : text.replaceAll(/^\//gm, ' /');
  return `${fence}text\n${safeText}\n${fence}`;
}

const measureLongestRun = (text: string): number =>
  [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0);

/** A piece of a line: text without any markup, inline code, or a link. */
type Piece =
  | { readonly kind: 'plain' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly url: string };

const writeLine = (spans: readonly TextSpan[]): string =>
  joinPieces(spans.flatMap((span, at) => splitSpan(span, at === 0)))
    .map(writePiece)
    .join('')
    .trim();

function splitSpan(span: TextSpan, isFirst: boolean): readonly Piece[] {
  switch (span.kind) {
    case 'text':
      return splitWords(span.text, isFirst);
    case 'code':
      return [{ kind: 'code', text: span.text }];
    case 'link':
      return [span];
  }
}

/** Splits a text into words that are harmless and words that are not. `isFirst`: whether the text begins the line. */
function splitWords(text: string, isFirst: boolean): readonly Piece[] {
  let isBeginning = isFirst;
  return (text.match(/ +|[^ ]+/g) ?? []).map((word) => {
    if (word.startsWith(' ')) return { kind: 'plain', text: word };
    const isHarmless = HARMLESS.test(word) && !mayBeCommit(word) && !(isBeginning && NUMBER_OF_LIST.test(word));
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
const mayBeCommit = (word: string): boolean => word.split(/[^\p{L}\d]+/u).some((part) => COMMIT.test(part));
const COMMIT = /^[\da-f]{7,64}$/i;
const NUMBER_OF_LIST = /^\d+[.)]$/;

/** Joins code with code, because the backticks of two code spans side by side would be read as one run. */
function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const isSame = last?.kind === piece.kind && piece.kind !== 'link';
    if (isSame) result[result.length - 1] = { kind: piece.kind, text: last.text + piece.text };
    else result.push(piece);
  }
  return result;
}

function writePiece(piece: Piece): string {
  switch (piece.kind) {
    case 'plain':
      return piece.text;
    case 'code':
      return writeInlineCode(piece.text);
    case 'link':
      return `[${writeLinkText(piece.text)}](<${piece.url.replaceAll('<', '%3C').replaceAll('>', '%3E')}>)`;
  }
}

const writeLinkText = (text: string): string => writeLine([{ kind: 'text', text }]) || 'link';

/** Spaces separate the delimiters from a text that begins or ends with backticks. Markdown removes these spaces. */
function writeInlineCode(text: string): string {
  const delimiter = '`'.repeat(measureLongestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${delimiter}${space}${text}${space}${delimiter}`;
}
