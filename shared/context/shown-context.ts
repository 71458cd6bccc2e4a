/** §4.3 A failure context as people and AI tools see it: with masked secrets, at the requested level of detail. */

import { maskObjectWithin } from '#shared/masking/mask-object.ts';
import type { ContextData } from './context-wire.ts';
import { applyDetail, dropOmittedMembers } from './detail.ts';
import { computeMaskingLimit, contextTooLarge } from './query.ts';
import type { ContextQuery } from './query-wire.ts';

/**
 * Masks texts before it cuts them, because a cut secret may not be recognized. Does not mask omitted parts. Refuses
 * more text than one response may mask, but leaves the excess out if the request has `max_length`.
 */
export function presentContext(context: ContextData, query: ContextQuery): ContextData {
  const { shown, isWhole } = maskObjectWithin(dropOmittedMembers(context, query.detail), computeMaskingLimit(query));
  if (!isWhole && query.max_length === undefined) throw contextTooLarge(query);
  return applyDetail(shown, query.detail);
}
