/** A mistake on the command line. The message tells the user the problem, and the program prints its usage below it. */
export class UsageError extends Error {
  override name = 'UsageError';
}
