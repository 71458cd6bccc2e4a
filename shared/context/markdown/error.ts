/** Renders an error: location, message, source snippet and stack. */
import type { ErrorInfo } from '#shared/context/context-wire.ts';
import { stackWithoutMessage } from '#shared/context/stack.ts';
import { type Block, fenced, paragraph } from './nodes.ts';
import { place } from './phrases.ts';

export function errorBlocks({ message, location, snippet, stack }: ErrorInfo): Block[] {
  const frames = stackWithoutMessage(stack ?? '', message);
  return [
    ...(location ? [paragraph('At ', place(location))] : []),
    fenced(message),
    ...(snippet ? [paragraph('Source:'), fenced(snippet)] : []),
    ...(frames.trim() ? [paragraph('Stack:'), fenced(frames)] : []),
  ];
}
