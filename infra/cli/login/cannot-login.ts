/** A failed sign-in. The message tells the user the problem and the next step. */
export class CannotLogin extends Error {
  override name = 'CannotLogin';
  constructor(problem: string, next: string) {
    super(`${problem}. ${next}`);
  }
}

export const START = 'Run "npm start" in another terminal, wait until it is ready, and retry';

/** Returns the message of the innermost cause, because `fetch failed` explains nothing. */
export function findCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof AggregateError) return findCauseMessage(error.cause.errors[0]);
  return error.cause instanceof Error ? findCauseMessage(error.cause) : error.message;
}
