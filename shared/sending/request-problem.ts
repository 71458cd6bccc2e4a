/**
 * An error of a request to another service. `verdict`: what follows from the error. The message is shown to people. It
 * says what is wrong and what to do, and must contain no credential and no internal address.
 */
export class RequestProblem<Verdict> extends Error {
  readonly verdict: Verdict;
  /** The HTTP status of the response, or `null` if there was none. */
  readonly statusCode: number | null;

  constructor(verdict: Verdict, message: string, statusCode: number | null = null) {
    super(message);
    this.verdict = verdict;
    this.statusCode = statusCode;
  }
}
