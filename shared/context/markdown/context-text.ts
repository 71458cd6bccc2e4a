/** §4.3 A failure context as Markdown, with masked secrets. */
import type { ContextData } from '#shared/context/context-wire.ts';
import { atDetail } from '#shared/context/detail.ts';
import { masked } from '#shared/context/masking.ts';
import type { ContextQuery } from '#shared/context/query-wire.ts';
import { contextMarkdown } from './context-markdown.ts';
import type { Reading } from './follow-up.ts';
import { serialize } from './serialize.ts';

type Shape = Pick<ContextQuery, 'detail' | 'max_length'>;

/**
 * Masks before it cuts, because a part of a secret no longer matches its pattern. The page state is
 * masked already.
 */
export function contextText(
  context: ContextData,
  { detail, max_length: maxLength }: Shape,
  reading: Omit<Reading, 'detail'>,
): string {
  const page = contextMarkdown(atDetail(masked(context), detail), { ...reading, detail });
  return serialize(page, maxLength === undefined ? {} : { maxLength });
}
