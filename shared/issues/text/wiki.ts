/** Writes text in the wiki markup of Jira Data Center. */
import type { Block, Span } from './blocks.ts';
import { fitted } from './fit.ts';
import { codeLines, inParagraphs, linesOf, shownSpans } from './spans.ts';

/** The blocks in `last` stay even if the text is cut. */
export function wikiOf(blocks: readonly Block[], characters: number, last: readonly Block[] = []): string {
  const length = (some: readonly Block[]) => written([...some, ...last]).length;
  return written([...fitted(blocks, characters, length), ...last]);
}

const written = (blocks: readonly Block[]): string => inParagraphs(blocks.map(writtenBlock));

function writtenBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return linesOf(block.spans).map(writtenLine).join('\n\n');
    case 'code': {
      const text = codeLines(block.text);
      return text === '' ? '' : `{noformat}\n${withoutEnd(text)}\n{noformat}`;
    }
    case 'list':
      return block.items
        .map(shownSpans)
        .filter((spans) => spans.length > 0)
        .map((spans) => `* ${writtenLine(spans)}`)
        .join('\n');
  }
}

/** The tag that ends the macro cannot be escaped inside the macro, so a space is inserted into it. */
const withoutEnd = (text: string): string => text.replaceAll(/\{(?=noformat)/gi, '{ ');

const writtenLine = (spans: readonly Span[]): string => spans.map(writtenSpan).join('').trim();

function writtenSpan(span: Span): string {
  switch (span.kind) {
    case 'text':
      return inert(span.text);
    case 'code':
      return `{{${inert(span.text)}}}`;
    case 'link':
      return `[${inert(span.text)}|${addressOf(span.url)}]`;
  }
}

const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/**
 * Writes punctuation as character references, which Jira shows but does not read as markup, mentions, macros,
 * emoticons, addresses or issue keys. Backslashes cannot do that: two of them are a line break. Periods and commas
 * after a word stay readable, except after the first word, because `h1.` and `bq.` at the beginning of a line are
 * markup.
 */
function inert(text: string): string {
  let isFirst = true;
  return text.replaceAll(/[^ ]+/g, (word) => {
    const end = isFirst ? '' : (/[.,]$/.exec(word)?.[0] ?? '');
    isFirst = false;
    return referenced(word.slice(0, word.length - end.length)) + end;
  });
}

const referenced = (word: string): string =>
  word.replaceAll(PUNCTUATION, (character) => `&#${character.charCodeAt(0)};`);

/** Escapes the characters that would end the link or begin markup in it. */
const addressOf = (url: string): string =>
  url.replaceAll(/[[\]{}|^~!*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
