/** Renders browser console, network requests, output and other attempts. */

import type { TestContext } from '#shared/context/context-wire.ts';
import { visible, visibleLine } from '#shared/engine/plain-text.ts';
import { type Block, fenced, paragraph, quoted } from './nodes.ts';
import { clock, place } from './phrases.ts';

type Analysis = NonNullable<TestContext['traceErrorAnalysis']>;

const INDENTATION = '    ';

/** Indents continuation lines, so that no entry can look like two. */
const entry = (lines: string): string => visible(lines).replaceAll('\n', `\n${INDENTATION}`);

export function consoleBlocks({ consoleEntries }: Analysis): Block[] {
  const lines = consoleEntries.map(({ time, messageType, text, location: { url, lineNumber, columnNumber } }) => {
    // Browsers count lines from 0, editors from 1.
    const from = url === '' ? '' : `\nat ${url}:${lineNumber + 1}:${columnNumber + 1}`;
    return entry(`${clock(time)} [${visibleLine(messageType)}] ${text.trim()}${from}`);
  });
  return lines.length > 0 ? [fenced(lines.join('\n'))] : [];
}

export function networkBlocks({ networkRequests }: Analysis): Block[] {
  const lines = networkRequests.map(
    ({ time, method, status, url }) =>
      `${clock(time)} ${visibleLine(method)} ${status < 0 ? 'no answer' : status} ${visibleLine(url)}`,
  );
  return lines.length > 0 ? [fenced(lines.join('\n'))] : [];
}

export const outputBlocks = (pieces: readonly string[]): Block[] =>
  pieces.length > 0 ? [fenced(pieces.join(''))] : [];

export function otherAttemptsBlocks(others: NonNullable<TestContext['otherAttempts']>): Block[] {
  return others.flatMap(({ attempt, status, sameError, error }) => {
    const ended = [`Attempt ${attempt + 1}: `, quoted(status)];
    if (sameError) return [paragraph(...ended, ', with the same error')];
    if (!error) return [paragraph(...ended, ', without an error')];
    const at = error.location ? [', with another error at ', place(error.location)] : [', with another error'];
    return [paragraph(...ended, ...at), fenced(error.message)];
  });
}
