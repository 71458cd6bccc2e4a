/** Searches and compares texts. */

/** Orders texts by their UTF-16 code units. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export interface SearchWords {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
}

const WORD = /(-?)(?:"([^"]*)"|(\S+))/g;

/** The words of a search in lower case. Quotes make a phrase of several words, and a minus excludes a word or phrase. */
export function parseSearch(search: string): SearchWords {
  const includedWords: string[] = [];
  const excludedWords: string[] = [];
  for (const [, minus = '', phrase, word = ''] of search.toLowerCase().matchAll(WORD)) {
    const text = normalizeSeparators(phrase ?? word.replaceAll('"', '')).trim();
    if (text !== '' && text !== '>') (minus === '' ? includedWords : excludedWords).push(text);
  }
  return { included: includedWords, excluded: excludedWords };
}

/** Pages write the parts of a title with another separator than the API. */
const normalizeSeparators = (text: string): string => text.replaceAll('›', '>');

/** Whether the text has all included words, in any order, and none of the excluded ones. Ignores case. */
export function matchesWords(text: string, { included, excluded }: SearchWords): boolean {
  const lowerText = normalizeSeparators(text.toLowerCase());
  return included.every((word) => lowerText.includes(word)) && !excluded.some((word) => lowerText.includes(word));
}

/** The meaning of every search field. A text is also found by itself, whatever quotes and minus signs it has. */
export function contains(text: string, search: string): boolean {
  if (text.toLowerCase().includes(search.toLowerCase())) return true;
  const searchWords = parseSearch(search);
  return searchWords.included.length + searchWords.excluded.length > 0 && matchesWords(text, searchWords);
}
