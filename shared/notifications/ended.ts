/** Ends a delivery early, with its outcome. */

type Verdict =
  /** A later attempt may succeed. `pauses`: the receiver takes no other request meanwhile. */
  | { readonly kind: 'failed'; readonly retryAfter?: string | undefined; readonly pauses?: boolean }
  /** Every delivery fails until somebody changes the notification. */
  | { readonly kind: 'refused' }
  /** This delivery can never succeed, or is not needed any more. */
  | { readonly kind: 'pointless' }
  | { readonly kind: 'busy'; readonly until: number };

export class Ended extends Error {
  override name = 'Ended';
  readonly verdict: Verdict;
  /** The status of the answer, `null` if there was none. */
  readonly statusCode: number | null;

  /** The message reaches the people of the project, so it contains no credential and no internal address. */
  constructor(verdict: Verdict, message: string, statusCode: number | null = null) {
    super(message);
    this.verdict = verdict;
    this.statusCode = statusCode;
  }
}
