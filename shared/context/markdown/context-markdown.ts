/** §4.3 Renders any level as Markdown. */
import type { Root } from 'mdast';
import type { ContextData } from '#shared/context/context-wire.ts';
import type { Reading } from './follow-up.ts';
import { instanceMarkdown } from './instance-markdown.ts';
import { runMarkdown } from './run-markdown.ts';
import { testMarkdown } from './test-markdown.ts';

/** `context` must be masked and reduced to the requested detail already. */
export function contextMarkdown(context: ContextData, reading: Reading): Root {
  if (context.level === 'test') return testMarkdown(context, reading);
  return context.level === 'instance' ? instanceMarkdown(context, reading) : runMarkdown(context, reading);
}
