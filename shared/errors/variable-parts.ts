/** Replaces parts of error messages that differ between executions. Each pattern is bounded and takes linear time. */
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { ERROR_LIMITS } from './limits.ts';

type Replacement = readonly [pattern: RegExp, by: string | ((match: string, label: string | undefined) => string)];

const UUID: Replacement = [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'];
const URL: Replacement = [/\bhttps?:\/\/[^\s'"`<>)]{1,2048}/gi, '<url>'];
const PATH: Replacement = [/(?:[A-Za-z]:)?(?:[\\/][\w.@+-]{1,255}){2,64}/g, '<path>'];
const HEX: Replacement = [/(?<!\d[.,])\b(?=[0-9a-f]{0,63}\d)[0-9a-f]{8,64}\b/gi, '<id>'];
const BLANKS: Replacement = [/\s{1,1024}/g, ' '];
/** Matches the numbers to replace. Status codes and exit codes are kept, because they distinguish errors. */
const NUMBER: Replacement = [
  /(\b(?:status(?:_?code)?|(?:error |exit )?code|exit|errno|http(?:\/[\d.]{1,3})?)[ :=(]{1,3})?\d{1,64}(?:[.,]\d{1,64}){0,8}/gi,
  (match, label) => (label === undefined ? '<n>' : match),
];
/** Long numbers in selectors and URLs. Ports and short indexes are kept: they distinguish elements and URLs. */
const LONG_NUMBER: Replacement = [/(?<![:\d])\d{4,64}/g, '<n>'];

/** What stands for the variable parts of a normalized text. */
export const PLACEHOLDER = /<(?:id|url|text|path|n)>/g;

function replacePatterns(text: string, replacements: readonly Replacement[]): string {
  let result = text;
  for (const [pattern, by] of replacements)
    result = typeof by === 'string' ? result.replaceAll(pattern, by) : result.replaceAll(pattern, by);
  return result;
}

/** For texts that are compared as a whole. Quoted texts are kept, because they distinguish errors. */
export const replaceVariableParts = (text: string): string =>
  replacePatterns(text, [UUID, URL, PATH, HEX, NUMBER, BLANKS]).trim();

/** Normalizes the first line of an error. Errors with the same normalized line are counted together. */
export const normalizeHeadline = (headline: string): string => {
  const text = takeFirstCharacters(headline, ERROR_LIMITS.headlineCharacters);
  const withoutQuotedTexts = replaceQuotedTexts(replacePatterns(text, [UUID, URL]));
  const result = replacePatterns(withoutQuotedTexts, [PATH, HEX, NUMBER, BLANKS]).trim();
  return takeFirstCharacters(result, ERROR_LIMITS.messageCharacters);
};

const ADDRESS = /^(?:https?:\/\/|\/)[^\s]{0,4096}$/i;

/** The element or the URL of an error. Quoted texts and roles are kept, but the query of a URL is dropped. */
export const normalizeTarget = (target: string): string => {
  const text = takeFirstCharacters(target, ERROR_LIMITS.headlineCharacters);
  const [address = ''] = text.split('?', 1);
  const result = replacePatterns(ADDRESS.test(text) ? address : text, [UUID, HEX, LONG_NUMBER, BLANKS]).trim();
  return takeFirstCharacters(result, ERROR_LIMITS.targetCharacters);
};

const QUOTES = '"`\'';
const LETTER = /\p{L}/u;

/**
 * Keeps unclosed quotes, and apostrophes as in `can't` and `users'`. Uses a loop, because a regular expression would take
 * quadratic time for unclosed quotes.
 */
function replaceQuotedTexts(line: string): string {
  const unclosedQuotes = new Set<string>();
  let rest = '';
  let at = 0;
  while (at < line.length) {
    const quote = line.charAt(at);
    const isOpening = QUOTES.includes(quote) && !unclosedQuotes.has(quote) && !isAfterLetter(line, at);
    const end = isOpening ? findClosingQuote(line, at) : undefined;
    if (isOpening && end === undefined) unclosedQuotes.add(quote);
    rest += end === undefined ? quote : '<text>';
    at = (end ?? at) + 1;
  }
  return rest;
}

const isAfterLetter = (line: string, at: number): boolean =>
  line.charAt(at) === "'" && LETTER.test(line.charAt(at - 1));

/** A backslash escapes the next character, except inside backticks. */
function findClosingQuote(line: string, start: number): number | undefined {
  const quote = line.charAt(start);
  for (let at = start + 1; at < line.length; at += 1) {
    if (line.charAt(at) === '\\' && quote !== '`') at += 1;
    else if (line.charAt(at) === quote && !(isAfterLetter(line, at) && LETTER.test(line.charAt(at + 1)))) return at;
  }
  return undefined;
}
