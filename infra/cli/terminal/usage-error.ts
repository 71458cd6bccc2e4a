/** A mistake on the command line. The message tells the user the problem, and the program prints its usage below it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message says why and what to do. The usage is not printed below it, because it would not help. */
export class Refused extends Error {
  override name = 'Refused';
}
