/** §4.3 A failure context as people and AI tools see it: without secrets, at the requested level of detail. */

import { maskedWithin } from '#shared/masking/masking.ts';
import type { ContextData } from './context-wire.ts';
import { atDetail, withoutOmitted } from './detail.ts';
import { contextTooLarge, maskedCharacters } from './query.ts';
import type { ContextQuery } from './query-wire.ts';

/**
 * Masks before it cuts, because a part of a secret no longer looks like one. What the level omits is not masked. More
 * texts than one answer may mask are refused, or left out if the request limits the length.
 */
export function shownContext(context: ContextData, query: ContextQuery): ContextData {
  const { shown, isWhole } = maskedWithin(withoutOmitted(context, query.detail), maskedCharacters(query));
  if (!isWhole && query.max_length === undefined) throw contextTooLarge(query);
  return atDetail(shown, query.detail);
}
