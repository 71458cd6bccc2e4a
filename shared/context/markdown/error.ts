/** An error: where, what, the source around it, and how it came there. */
import type { ErrorInfo } from '../shape.ts';
import { stackWithoutMessage } from '../stack.ts';
import { type Block, fenced, paragraph } from './nodes.ts';
import { place } from './phrases.ts';

export function errorBlocks({ message, location, snippet, stack }: ErrorInfo): Block[] {
  return [
    ...(location ? [paragraph('At ', place(location))] : []),
    fenced(message),
    ...(snippet ? [paragraph('Source:'), fenced(snippet)] : []),
    ...(stack ? [paragraph('Stack:'), fenced(stackWithoutMessage(stack, message) || stack)] : []),
  ];
}
