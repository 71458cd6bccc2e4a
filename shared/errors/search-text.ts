/** Finds errors by a text that somebody copied from one of them, although stored messages have no variable parts. */
import { classifyError } from './classify.ts';
import { normalizedHeadline, PLACEHOLDER } from './variable-parts.ts';

/** A text to search for in stored messages. */
export interface MessageSearch {
  /** A message matches if it contains one of these texts. The first is the text as it was sent. */
  readonly texts: readonly string[];
  /** Whether everything in the text varies between executions, so that no stored message contains it. */
  readonly isVariable: boolean;
}

/**
 * Normalizes a searched text in the way in which messages were normalized before they were stored: as a part of the
 * first line of an error, and as the text of a whole error. `text` must not contain secrets that are masked in messages.
 */
export function searchOf(text: string): MessageSearch {
  const [first = ''] = text.trim().split(/[\r\n\u2028\u2029]/, 1);
  const line = first.trimEnd();
  const part = normalizedHeadline(withoutUnclosedQuote(line));
  const whole = classifyError({ message: text, stack: null }).message;
  const texts = new Set([text, ...[part, whole].filter(hasWords)]);
  return { texts: [...texts], isVariable: part !== text && !hasWords(part) };
}

const hasWords = (text: string): boolean => /\p{L}/u.test(text.replaceAll(PLACEHOLDER, ''));

/**
 * Drops a quote that is not closed, with what follows it: whoever copies a part of a line may have cut it off within a
 * quoted text.
 */
function withoutUnclosedQuote(line: string): string {
  const normalized = normalizedHeadline(line);
  const at = normalized.search(/["`]/);
  return at === -1 ? line : normalized.slice(0, at);
}
