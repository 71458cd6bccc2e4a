/** An error that ends a delivery attempt, with the outcome of the attempt. */

type Verdict =
  /** A later attempt may succeed. `pauses`: no other request is sent to the receiver until then. */
  | { readonly kind: 'failed'; readonly retryAfter?: string | undefined; readonly pauses?: boolean }
  /** Every delivery would fail until somebody changes the notification. */
  | { readonly kind: 'refused' }
  /** This delivery can never succeed, or is not needed any more. */
  | { readonly kind: 'pointless' }
  | { readonly kind: 'busy'; readonly until: number };

export class Ended extends Error {
  override name = 'Ended';
  readonly verdict: Verdict;
  /** The status code of the receiver's response, `null` if there was no response. */
  readonly statusCode: number | null;

  /** The message is shown to the people of the project, so it must contain no credential and no internal address. */
  constructor(verdict: Verdict, message: string, statusCode: number | null = null) {
    super(message);
    this.verdict = verdict;
    this.statusCode = statusCode;
  }
}
