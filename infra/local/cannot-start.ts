/** Why the local service cannot start, in words for the person at the terminal: what is wrong and what to do next. */
export class CannotStart extends Error {
  override name = 'CannotStart';
}
