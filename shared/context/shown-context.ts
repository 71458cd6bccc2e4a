/**
 * §4.3 A failure context as people and AI tools see it: secrets are masked, and it has the requested level of detail.
 */

import { maskedWithin } from '#shared/masking/masking.ts';
import type { ContextData } from './context-wire.ts';
import { atDetail, withoutOmitted } from './detail.ts';
import { contextTooLarge, maskedCharacters } from './query.ts';
import type { ContextQuery } from './query-wire.ts';

/**
 * Masks texts before it cuts them, because a cut secret may not be recognized as a secret. Parts that the level of
 * detail omits are not masked. If the text to mask exceeds the limit for one response, the request is refused, unless
 * it has `max_length`. In that case, the excess text is left out.
 */
export function shownContext(context: ContextData, query: ContextQuery): ContextData {
  const { shown, isWhole } = maskedWithin(withoutOmitted(context, query.detail), maskedCharacters(query));
  if (!isWhole && query.max_length === undefined) throw contextTooLarge(query);
  return atDetail(shown, query.detail);
}
