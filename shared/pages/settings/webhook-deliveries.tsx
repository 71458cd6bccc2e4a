/** The deliveries of a webhook, each with its request and the responses to its latest attempts. */

import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { linkToRun, linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { DeliveryWire } from '#shared/webhooks/delivery-wire.ts';
import { WEBHOOK_LIMITS } from '#shared/webhooks/limits.ts';
import type { ShownWebhook } from './webhook-names.tsx';

export type ShownDelivery = z.infer<typeof DeliveryWire>;

interface Props {
  readonly visit: ProjectVisit;
  readonly webhook: ShownWebhook;
  readonly deliveries: readonly ShownDelivery[];
}

export const Deliveries = ({ visit, webhook, deliveries }: Props): Html =>
  deliveries.length === 0 ? (
    <p class="pad soft">
      There are no deliveries. Every event that is sent appears here, and is kept for {WEBHOOK_LIMITS.deliveryDays}{' '}
      days.
    </p>
  ) : (
    <ul class="rows">
      {deliveries.map((delivery) => (
        <OneDelivery visit={visit} webhook={webhook} delivery={delivery} />
      ))}
    </ul>
  );

const OUTCOMES: Readonly<Record<ShownDelivery['status'], ShownOutcome>> = {
  pending: 'running',
  delivered: 'passed',
  exhausted: 'failed',
  dropped: 'skipped',
};

type BadgeProps = Pick<ShownDelivery, 'status'> & { readonly attemptsMade?: number };

/** A delivery with an attempt that is still pending has failed so far. */
export const DeliveryBadge = ({ status, attemptsMade = 0 }: BadgeProps): Html =>
  status === 'pending' && attemptsMade > 0 ? (
    <OutcomeBadge outcome="flaky" label="failed, will be retried" />
  ) : (
    <OutcomeBadge outcome={OUTCOMES[status]} label={status} />
  );

const OneDelivery = ({
  visit,
  webhook,
  delivery,
}: Pick<Props, 'visit' | 'webhook'> & { readonly delivery: ShownDelivery }): Html => (
  <li>
    <DeliveryBadge status={delivery.status} attemptsMade={delivery.attemptsMade} />
    <div class="grow">
      <h3>
        {delivery.event}
        {delivery.test && ' (test)'}
      </h3>
      <div class="meta">
        <FullTime at={delivery.createdAt} />
        <span>{formatQuantity(delivery.attemptsMade, 'attempt')}</span>
        {delivery.runId !== null && (
          <a
            href={linkToRun(visit, delivery.runId, delivery.groupId === null ? {} : { 'groups[]': [delivery.groupId] })}
          >
            Run
          </a>
        )}
        {delivery.nextAttemptAt !== null && (
          <span>
            next attempt <FullTime at={delivery.nextAttemptAt} />
          </span>
        )}
      </div>
    </div>
    {mayAdd(visit, 'webhooks:write') && !webhook.disabled && (
      <PostButton
        action={linkToWebhooks(visit, webhook.hookId, 'deliveries', delivery.deliveryId, 'redeliver')}
        class="quiet small"
        label={`Redeliver ${delivery.event} of ${delivery.createdAt}`}
      >
        Redeliver
      </PostButton>
    )}
    <div class="whole-row">
      {delivery.attempts.toReversed().map(({ at, statusCode, latencyMs, error, answer }) => (
        <details>
          <summary>
            {statusCode ?? 'No response'} after {formatDuration(latencyMs)}, <FullTime at={at} />
            {error !== null && <>: {error}</>}
          </summary>
          {answer ? <pre class="wrap">{answer}</pre> : <p class="soft">No response body.</p>}
        </details>
      ))}
      <details>
        <summary>Request</summary>
        <p class="soft">
          webhook-id: <code>{delivery.deliveryId}</code>
        </p>
        <pre class="wrap">{delivery.body}</pre>
      </details>
    </div>
  </li>
);
