/** Names and labels as people give them: one line of text that is not empty. */
import { invalidRequest } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** Trimmed, or 400. `what` is what it is: `The name of a project`. */
export function nameFrom(what: string, text: string, characters: number = LIMITS.nameCharacters): string {
  const name = text.trim();
  if (name !== '' && name.length <= characters && !/\p{Cc}|\p{Surrogate}/u.test(name)) return name;
  throw invalidRequest(`${what} is one line of 1 to ${characters} characters`);
}

/** As long as a branch filter may be (§8), so that clients can ask for it. */
export const branchFrom = (text: string): string =>
  nameFrom('The name of a branch', text, LIMITS.branchFilterCharacters);
