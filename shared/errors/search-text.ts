/** Finds errors by a text that somebody copied from one of them, although stored messages have no variable parts. */
import { classifyError } from './classify.ts';
import { normalizeHeadline, PLACEHOLDER } from './variable-parts.ts';

export interface MessageSearch {
  /** A message matches if it contains one of these texts. The first is the text as it was sent. */
  readonly texts: readonly string[];
  /** The text has only ids, numbers and the like. Stored messages have placeholders there, so none contains it. */
  readonly isVariable: boolean;
}

/**
 * The text may be a part of the first line of an error, or a whole error. Both readings are normalized like the stored
 * messages. `text` must not contain secrets that are masked in messages.
 */
export function toMessageSearch(text: string): MessageSearch {
  const [first = ''] = text.trim().split(/[\r\n\u2028\u2029]/, 1);
  const line = first.trimEnd();
  const partialMessage = normalizeHeadline(cutAtUnclosedQuote(line));
  const wholeMessage = classifyError({ message: text, stack: null }).message;
  const texts = new Set([text, ...[partialMessage, wholeMessage].filter(hasWords)]);
  const hasPlaceholders = partialMessage !== text;
  return { texts: [...texts], isVariable: hasPlaceholders && !hasWords(partialMessage) };
}

const hasWords = (text: string): boolean => /\p{L}/u.test(text.replaceAll(PLACEHOLDER, ''));

/**
 * Whoever copies a part of a line may have cut it off within a quoted text. Normalizing replaces quoted texts with their
 * quotes, so a quote that is left has no end.
 */
function cutAtUnclosedQuote(line: string): string {
  const normalized = normalizeHeadline(line);
  const quoteAt = normalized.search(/["`]/);
  return quoteAt === -1 ? line : normalized.slice(0, quoteAt);
}
