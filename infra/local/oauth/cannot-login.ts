/** Why somebody cannot be signed in, in words for the person at the terminal: what is wrong and what to do next. */
export class CannotLogin extends Error {
  override name = 'CannotLogin';
  constructor(problem: string, next: string) {
    super(`${problem}. ${next}`);
  }
}

export const START = 'Run "npm start" in another terminal, wait until it says that it is ready, and try again.';

/** The innermost reason: `fetch failed` alone says nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof AggregateError) return reasonOf(error.cause.errors[0]);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
