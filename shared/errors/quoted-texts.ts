/**
 * Replaces quoted texts of one line. A loop, because a regular expression would take quadratic time for unclosed
 * quotes.
 */
const QUOTES = '"`\'';
const LETTER = /\p{L}/u;

/** Replaces the quoted texts of a line. Unclosed quotes and apostrophes between letters stay. */
export function withoutQuotedTexts(line: string): string {
  const unclosed = new Set<string>();
  let rest = '';
  let at = 0;
  while (at < line.length) {
    const quote = line.charAt(at);
    const isOpening = QUOTES.includes(quote) && !unclosed.has(quote) && !isAfterLetter(line, at);
    const end = isOpening ? endOf(line, at) : undefined;
    if (isOpening && end === undefined) unclosed.add(quote);
    rest += end === undefined ? quote : '<text>';
    at = (end ?? at) + 1;
  }
  return rest;
}

const isAfterLetter = (line: string, at: number): boolean =>
  line.charAt(at) === "'" && LETTER.test(line.charAt(at - 1));

/** A backslash escapes the next quote, except in backticks. */
function endOf(line: string, start: number): number | undefined {
  const quote = line.charAt(start);
  for (let at = start + 1; at < line.length; at += 1) {
    if (line.charAt(at) === '\\' && quote !== '`') at += 1;
    else if (line.charAt(at) === quote && !(isAfterLetter(line, at) && LETTER.test(line.charAt(at + 1)))) return at;
  }
  return undefined;
}
