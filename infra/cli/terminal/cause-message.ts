/** Returns the message of the innermost cause, because `fetch failed` explains nothing. */
export function findCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof AggregateError) return findCauseMessage(error.cause.errors[0]);
  return error.cause instanceof Error ? findCauseMessage(error.cause) : error.message;
}
