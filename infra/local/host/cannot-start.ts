/** The local service cannot start. The message tells the user what is wrong and what to do. */
export class CannotStart extends Error {
  override name = 'CannotStart';
}
