/** Keeps the end of an output, because the last lines say most about a failure. */
import { ownCopy } from './kept-text.ts';
import { REPORT_LIMITS } from './limits.ts';

export function keptOutput(pieces: readonly string[]): string[] {
  const kept: string[] = [];
  let left: number = REPORT_LIMITS.outputCharacters;
  for (const piece of pieces.toReversed()) {
    if (left === 0) break;
    const end = ownCopy(piece.slice(-left).toWellFormed());
    left -= end.length;
    kept.unshift(end);
  }
  return kept;
}
