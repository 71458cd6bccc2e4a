/** An error that ends a delivery attempt, with the outcome of the attempt. */

type Verdict =
  /**
   * A later attempt may succeed. If `pauses` is true, nothing at all is sent to the receiver until the next attempt.
   */
  | { readonly kind: 'failed'; readonly retryAfter?: string | undefined; readonly pauses?: boolean }
  /** Every delivery would fail until somebody changes the notification. */
  | { readonly kind: 'refused' }
  /** This delivery can never succeed, or has become unnecessary. */
  | { readonly kind: 'pointless' }
  | { readonly kind: 'busy'; readonly until: number };

export class Ended extends Error {
  override name = 'Ended';
  readonly verdict: Verdict;
  /** The status code of the receiver's response, or `null` if there was no response. */
  readonly statusCode: number | null;

  /**
   * The message is shown to members of the project's organization, so it must contain no credential and no internal
   * address.
   */
  constructor(verdict: Verdict, message: string, statusCode: number | null = null) {
    super(message);
    this.verdict = verdict;
    this.statusCode = statusCode;
  }
}
