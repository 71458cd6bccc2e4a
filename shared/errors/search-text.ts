/** Finds errors by a text that somebody copied from one of them, although stored messages have no variable parts. */
import { classifyError } from './classify.ts';
import { normalizeHeadline, PLACEHOLDER } from './variable-parts.ts';

export interface MessageSearch {
  /** A message matches if it contains one of these texts. The first is the text as it was sent. */
  readonly texts: readonly string[];
  /** The text has only ids, numbers and the like. Stored messages have placeholders there, so none contains it. */
  readonly isVariable: boolean;
  /** A cause names the action and the target of an error, as in `toHaveText on getByRole('alert')`. */
  readonly cause: string;
}

/**
 * The text may be a part of the first line of an error, a whole error, or a line in which this service sums up an error
 * or a cause (`formatErrorLine`, `../results/failures/causes.ts`). All readings are normalized like the stored
 * messages. `text` must not contain secrets that are masked in messages.
 */
export function toMessageSearch(text: string): MessageSearch {
  const [first = ''] = text.trim().split(/[\r\n\u2028\u2029]/, 1);
  const line = first.trimEnd();
  const partialMessage = normalizeHeadline(cutAtUnclosedQuote(line));
  const wholeMessage = classifyError({ message: text, stack: null }).message;
  const cause = cutAtValues(line);
  const ownMessage = normalizeHeadline(cause);
  const texts = new Set([text, ...[partialMessage, wholeMessage, ownMessage].filter(hasWords)]);
  const hasPlaceholders = partialMessage !== text;
  return { texts: [...texts], isVariable: hasPlaceholders && !hasWords(partialMessage), cause };
}

const hasWords = (text: string): boolean => /\p{L}/u.test(text.replaceAll(PLACEHOLDER, ''));

/**
 * Whoever copies a part of a line may have cut it off within a quoted text. Normalizing replaces quoted texts with their
 * quotes, so a quote that is left has no end.
 */
function cutAtUnclosedQuote(line: string): string {
  const headline = normalizeHeadline(line);
  const quoteAt = headline.search(/["`]/);
  return quoteAt === -1 ? line : headline.slice(0, quoteAt);
}

/**
 * Lines of this service end with the values, which messages do not contain. A name before them is the class of an error,
 * which would find too much.
 */
function cutAtValues(line: string): string {
  const valuesAt = line.search(/: (?:expected|received) /);
  const message = line.slice(0, Math.max(valuesAt, 0));
  return /[^\w.$]/.test(message) ? message : line;
}
