/** §4.3 Any level as Markdown. */
import type { Root } from 'mdast';
import type { ContextData } from '../shape.ts';
import { instanceMarkdown } from './instance-markdown.ts';
import { runMarkdown } from './run-markdown.ts';
import { testMarkdown } from './test-markdown.ts';

/** `context`: masked, and reduced to the level of detail asked for. */
export function contextMarkdown(context: ContextData): Root {
  if (context.level === 'test') return testMarkdown(context);
  return context.level === 'instance' ? instanceMarkdown(context) : runMarkdown(context);
}
