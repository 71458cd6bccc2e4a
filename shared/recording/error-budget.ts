/** All errors of a test stand in one item of the table: where they are too long together, the longest texts are cut. */
import { LIMITS } from '../limits.ts';
import type { Attempt, AttemptError } from '../resources/attempt.ts';

export function withinBudget(attempts: readonly Attempt[]): Attempt[] {
  const errors = attempts.flatMap((attempt) => attempt.errors);
  const texts = errors.flatMap(({ message, stack, snippet }) => [message, stack ?? '', snippet ?? '']);
  const most = longestText(texts.map(({ length }) => length));
  return attempts.map((attempt) => ({ ...attempt, errors: attempt.errors.map((error) => cut(error, most)) }));
}

/** Characters at which all texts together fit: what short ones leave over goes to the longer ones. */
function longestText(lengths: readonly number[]): number {
  let left: number = LIMITS.testErrorCharacters;
  let texts = lengths.length;
  for (const length of lengths.toSorted((one, other) => one - other)) {
    const share = Math.floor(left / texts);
    if (length > share) return share;
    left -= length;
    texts -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

const cut = ({ message, stack, snippet, location }: AttemptError, characters: number): AttemptError => ({
  message: shortened(message, characters),
  stack: stack === null ? null : shortened(stack, characters),
  snippet: snippet === null ? null : shortened(snippet, characters),
  location,
});

const shortened = (text: string, characters: number): string =>
  text.length <= characters ? text : text.slice(0, characters).toWellFormed();
