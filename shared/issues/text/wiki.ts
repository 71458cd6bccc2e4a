/** Writes text in the wiki markup of Jira Data Center. */
import type { TextBlock, TextSpan } from './blocks.ts';
import { fitBlocks } from './fit.ts';
import { formatCodeLines, joinParagraphs, normalizeSpans, splitLines } from './spans.ts';

/** The blocks in `last` stay even if the text is cut. */
export function toWiki(blocks: readonly TextBlock[], characters: number, last: readonly TextBlock[] = []): string {
  const length = (some: readonly TextBlock[]) => writeBlocks([...some, ...last]).length;
  return writeBlocks([...fitBlocks(blocks, characters, length), ...last]);
}

const writeBlocks = (blocks: readonly TextBlock[]): string => joinParagraphs(blocks.map(writeBlock));

function writeBlock(block: TextBlock): string {
  switch (block.kind) {
    case 'paragraph':
      return splitLines(block.spans).map(writeLine).join('\n\n');
    case 'code': {
      const text = formatCodeLines(block.text);
      return text === '' ? '' : `{noformat}\n${breakEndTags(text)}\n{noformat}`;
    }
    case 'list':
      return block.items
        .map(normalizeSpans)
        .filter((spans) => spans.length > 0)
        .map((spans) => `* ${writeLine(spans)}`)
        .join('\n');
  }
}

/** The tag that ends the macro cannot be escaped inside the macro, so a space is inserted into it. */
const breakEndTags = (text: string): string => text.replaceAll(/\{(?=noformat)/gi, '{ ');

const writeLine = (spans: readonly TextSpan[]): string => spans.map(writeSpan).join('').trim();

function writeSpan(span: TextSpan): string {
  switch (span.kind) {
    case 'text':
      return escapeText(span.text);
    case 'code':
      return `{{${escapeText(span.text)}}}`;
    case 'link':
      return `[${escapeText(span.text)}|${escapeAddress(span.url)}]`;
  }
}

const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/**
 * Writes punctuation as character references, which Jira shows but does not read as markup, mentions, macros,
 * emoticons, addresses or issue keys. Backslashes cannot do that: two of them are a line break. Periods and commas
 * after a word stay readable, except after the first word, because `h1.` and `bq.` at the beginning of a line are
 * markup.
 */
function escapeText(text: string): string {
  let isFirst = true;
  return text.replaceAll(/[^ ]+/g, (word) => {
    const end = isFirst ? '' : (/[.,]$/.exec(word)?.[0] ?? '');
    isFirst = false;
    return escapePunctuation(word.slice(0, word.length - end.length)) + end;
  });
}

const escapePunctuation = (word: string): string =>
  word.replaceAll(PUNCTUATION, (character) => `&#${character.charCodeAt(0)};`);

/** Escapes the characters that would end the link or begin markup in it. */
const escapeAddress = (url: string): string =>
  url.replaceAll(/[[\]{}|^~!*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
