/** The states of the receivers of a project, in the cards of its settings: whether they are on, and what was last sent. */
import type { Html } from '#shared/engine/html/html.ts';
import { getNotificationPlace } from '#shared/model/events/notification.ts';
import { getPlaceName } from '#shared/notifications/channels.ts';
import type { ListedNotification } from '#shared/notifications/find-notifications.ts';
import { Ago, toSentenceCase } from '#shared/pages/design/format.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { NotificationState } from './notification-state.tsx';
import { DeliveryBadge, type ShownDelivery } from './webhook-deliveries.tsx';
import { getWebhookName, type ShownWebhook, WebhookState } from './webhook-names.tsx';

/** `undefined` for what the person may not see. */
export interface ConnectedReceivers {
  readonly notifications: readonly ListedNotification[] | undefined;
  readonly webhooks: readonly ShownWebhook[] | undefined;
  /** The newest delivery of each webhook that has one. */
  readonly lastOf: ReadonlyMap<string, Pick<ShownDelivery, 'status' | 'createdAt'>>;
}

interface Props {
  readonly connected: ConnectedReceivers;
  readonly now: number;
}

export const SHOWN_RECEIVERS = 5;

export const NotificationStates = ({ connected: { notifications = [] }, now }: Props): Html => (
  <States
    states={notifications.map(({ notification, last }) => ({
      name: toSentenceCase(getPlaceName(getNotificationPlace(notification))),
      state: <NotificationState notification={notification} />,
      last: last && { status: last.status, createdAt: last.createdAt },
    }))}
    now={now}
  />
);

export const WebhookStates = ({ connected: { webhooks = [], lastOf }, now }: Props): Html => (
  <States
    states={webhooks.map((webhook) => ({
      name: getWebhookName(webhook),
      state: <WebhookState webhook={webhook} />,
      last: lastOf.get(webhook.hookId),
    }))}
    now={now}
  />
);

interface State {
  readonly name: string;
  readonly state: Html;
  readonly last: { readonly status: ShownDelivery['status']; readonly createdAt: string | number } | undefined;
}

function States({ states, now }: { readonly states: readonly State[]; readonly now: number }): Html {
  if (states.length === 0)
    return (
      <p>
        <OutcomeBadge outcome="pending" label="not connected" />
      </p>
    );
  return (
    <ul class="connection-states">
      {states.slice(0, SHOWN_RECEIVERS).map(({ name, state, last }) => (
        <li>
          <b>{name}</b> {state}
          {last ? (
            <span class="soft">
              last: <DeliveryBadge status={last.status} /> <Ago at={last.createdAt} now={now} />
            </span>
          ) : (
            <span class="soft">nothing sent yet</span>
          )}
        </li>
      ))}
      {states.length > SHOWN_RECEIVERS && <li class="soft">and {states.length - SHOWN_RECEIVERS} more</li>}
    </ul>
  );
}
