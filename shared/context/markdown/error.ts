/** Renders an error: location, message, source snippet and stack. */
import type { ErrorInfo } from '#shared/context/context-wire.ts';
import { removeStackMessage } from '#shared/context/stack.ts';
import { type Block, codeBlock, paragraph } from './nodes.ts';
import { formatLocation } from './phrases.ts';

/** An error beside the first one, by its message and place. */
export const renderFurtherError = ({ message, location }: Pick<ErrorInfo, 'message' | 'location'>): Block[] => [
  ...(location ? [paragraph('At ', formatLocation(location))] : []),
  codeBlock(message),
];

export function renderError({ message, location, snippet, stack }: ErrorInfo): Block[] {
  const frames = removeStackMessage(stack ?? '', message);
  return [
    ...(location ? [paragraph('At ', formatLocation(location))] : []),
    codeBlock(message),
    ...(snippet ? [paragraph('Source:'), codeBlock(snippet)] : []),
    ...(frames.trim() ? [paragraph('Stack:'), codeBlock(frames)] : []),
  ];
}
