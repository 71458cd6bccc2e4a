/** §4.3 A failure context as Markdown, with masked secrets. */
import type { ContextData } from '#shared/context/context-wire.ts';
import type { ContextQuery } from '#shared/context/query-wire.ts';
import { shownContext } from '#shared/context/shown-context.ts';
import { contextMarkdown } from './context-markdown.ts';
import type { Reading } from './follow-up.ts';
import { serialize } from './serialize.ts';

/** The page state is masked already. */
export function contextText(context: ContextData, query: ContextQuery, reading: Omit<Reading, 'detail'>): string {
  const { detail, max_length: maxLength } = query;
  const page = contextMarkdown(shownContext(context, query), { ...reading, detail });
  return serialize(page, maxLength === undefined ? {} : { maxLength });
}
