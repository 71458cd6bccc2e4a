/** A mistake on the command line. The message tells the user the problem and the correct usage. */
export class UsageError extends Error {
  override name = 'UsageError';
}
