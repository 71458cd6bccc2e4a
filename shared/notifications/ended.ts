/** An error that ends a delivery attempt, with the outcome of the attempt. */
import { RequestProblem } from '#shared/sending/request-problem.ts';

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

export class Ended extends RequestProblem<Verdict> {
  override name = 'Ended';
}
