import { keptEnd } from '#shared/engine/cut-text.ts';
import { ownCopy } from './kept-text.ts';
import { REPORT_LIMITS } from './limits.ts';

export const keptOutput = (pieces: readonly string[]): string[] =>
  keptEnd(pieces, REPORT_LIMITS.outputCharacters).map(ownCopy);
