/** Truncates the longest error texts of a test if all its errors together are too large for one item of the table. */
import { cutTextToBytes } from '#shared/engine/cut-text.ts';
import type { Attempt, AttemptError } from '#shared/model/results/attempt.ts';
import { RECORDING_LIMITS } from './limits.ts';

export function fitErrorsIntoBudget(attempts: readonly Attempt[]): Attempt[] {
  const errors = attempts.flatMap((attempt) => attempt.errors);
  const texts = errors.flatMap(({ message, stack, snippet, location }) => [
    message,
    stack ?? '',
    snippet ?? '',
    location?.file ?? '',
  ]);
  const textLimit = computeTextLimit(texts.map((text) => Buffer.byteLength(text)));
  return attempts.map((attempt) => ({ ...attempt, errors: attempt.errors.map((error) => cutError(error, textLimit)) }));
}

/** In bytes per text, so that all fit into the item. Long texts can use the space that short ones leave. */
function computeTextLimit(lengths: readonly number[]): number {
  let left: number = RECORDING_LIMITS.testErrorBytes;
  let texts = lengths.length;
  for (const length of lengths.toSorted((one, other) => one - other)) {
    const share = Math.floor(left / texts);
    if (length > share) return share;
    left -= length;
    texts -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

const cutError = ({ message, stack, snippet, location }: AttemptError, bytes: number): AttemptError => ({
  message: cutTextToBytes(message, bytes),
  stack: stack === null ? null : cutTextToBytes(stack, bytes),
  snippet: snippet === null ? null : cutTextToBytes(snippet, bytes),
  // A path that is too long is dropped instead of truncated, because a truncated path would name another file.
  location: location && Buffer.byteLength(location.file) <= bytes ? location : null,
});
