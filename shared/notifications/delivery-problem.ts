/** An error that ends a delivery attempt, with the outcome of the attempt. */
import { RequestProblem } from '#shared/sending/request-problem.ts';

type DeliveryVerdict =
  /** A later attempt may succeed. If `pauses` is true, nothing is sent to the receiver until then. */
  | { readonly kind: 'failed'; readonly retryAfter?: string | undefined; readonly pauses?: boolean }
  /** Every delivery would fail until somebody changes the notification. */
  | { readonly kind: 'refused' }
  /** This delivery can never succeed, or has become unnecessary. */
  | { readonly kind: 'pointless' }
  | { readonly kind: 'busy'; readonly until: number };

export class DeliveryProblem extends RequestProblem<DeliveryVerdict> {
  override name = 'DeliveryProblem';
}
