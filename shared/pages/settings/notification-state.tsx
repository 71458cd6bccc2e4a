/** The state of a notification, its last result, and what people can do with it. */
import type { Html } from '#shared/engine/html/html.ts';
import { hasCredential } from '#shared/model/credential.ts';
import {
  type ChannelNotification,
  getNotificationPlace,
  isOfHost,
  type Notification,
  type NotificationPlace,
} from '#shared/model/events/notification.ts';
import type { NotificationDelivery } from '#shared/model/events/notification-delivery.ts';
import { getPlaceName } from '#shared/notifications/channels.ts';
import { CODE_HOSTS } from '#shared/notifications/code-hosts.ts';
import type { ListedNotification } from '#shared/notifications/find-notifications.ts';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime, toSentenceCase } from '#shared/pages/design/format.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { Fact, Notice } from '#shared/pages/design/parts.tsx';
import { linkToNotifications, linkToRun } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
import type { RefusedForm, WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { DeliveryBadge } from './webhook-deliveries.tsx';
import { ReceiverState } from './webhook-names.tsx';

export const CHANNEL_RUN_NAMES: Readonly<Record<ChannelNotification['runs'], string>> = {
  failed: 'failed runs',
  changed: 'runs whose result differs from that of the previous run',
  all: 'all runs',
};

const REASONS: Readonly<Record<string, string>> = {
  byHand: 'by a person',
  failing: 'because deliveries failed for days',
  gone: 'because the receiver answered 410 Gone',
};

interface DetailsProps extends WithForms<ProjectVisit> {
  readonly listed: ListedNotification;
}

export const NotificationDetails = ({ visit, listed: { notification, last }, refused }: DetailsProps): Html => (
  <>
    {isFormRefused(refused, getNotificationPlace(notification), [
      'submitNotificationTest',
      'submitNotificationEnabled',
    ]) && (
      <p class="notice problem-text" role="alert">
        <strong>Nothing was sent or changed.</strong> {refused?.problem}
      </p>
    )}
    {!hasCredential(notification) && (
      <Notice tone="failed">
        The credential is missing, because an imported archive contains none. Nothing is sent until somebody enters it
        again under <em>Configure</em>.
      </Notice>
    )}
    <dl class="facts">
      {isOfHost(notification) && (
        <Fact name={toSentenceCase(CODE_HOSTS[notification.kind].place)}>{notification.repository}</Fact>
      )}
      <Fact name="Sends">{describeSent(notification)}</Fact>
      <Fact name="Last result">{last ? <LastResult visit={visit} delivery={last} /> : 'none yet'}</Fact>
    </dl>
    <Actions visit={visit} notification={notification} />
  </>
);

function describeSent(notification: Notification): string {
  if (!isOfHost(notification)) {
    const runs = CHANNEL_RUN_NAMES[notification.runs];
    return notification.branches ? `${runs}, on ${notification.branches.join(', ')}` : `${runs}, on all branches`;
  }
  const { sendsStatus, comments, kind } = notification;
  const parts = [sendsStatus && 'commit statuses', comments && `comments on ${CODE_HOSTS[kind].change}s`].filter(
    (part) => part !== false,
  );
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}

export const isFormRefused = (
  refusal: RefusedForm | undefined,
  place: NotificationPlace,
  forms: readonly string[],
): boolean => refusal?.values['of'] === place && forms.includes(refusal.operationId);

export function NotificationState({ notification }: { readonly notification: Notification }): Html {
  const { disabled, failingSince } = notification;
  if (!hasCredential(notification)) return <OutcomeBadge outcome="failed" label="credential missing" />;
  return (
    <ReceiverState
      disabled={disabled && { ...disabled, why: disabled.problem ?? REASONS[disabled.reason] }}
      failingSince={failingSince}
    />
  );
}

const EVENTS: Readonly<Record<NotificationDelivery['event'], string>> = {
  RunStarted: 'start of a run',
  RunEnded: 'end of a run',
  Test: 'test',
};

interface LastResultProps {
  readonly visit: ProjectVisit;
  readonly delivery: NotificationDelivery;
}

function LastResult({ visit, delivery }: LastResultProps): Html {
  const { status, event, runId, createdAt, attempts } = delivery;
  const { error = null, answer = null } = attempts.at(-1) ?? {};
  return (
    <>
      <DeliveryBadge status={status} attemptsMade={attempts.length} /> {EVENTS[event]}, <FullTime at={createdAt} />
      {runId !== null && (
        <>
          {' '}
          <a href={linkToRun(visit, runId)}>Run</a>
        </>
      )}
      <p class="soft">{error ?? answer ?? ''}</p>
    </>
  );
}

interface ActionsProps {
  readonly visit: ProjectVisit;
  readonly notification: Notification;
}

function Actions({ visit, notification }: ActionsProps): Html {
  const place = getNotificationPlace(notification);
  const { disabled } = notification;
  const isDeleted = isOfDeletedProject(visit);
  return (
    <div class="actions">
      {hasCredential(notification) && !isDeleted && (
        <PostButton action={linkToNotifications(visit, place, 'test')} fields={{ of: place }} class="quiet">
          Send a test to {getPlaceName(place)}
        </PostButton>
      )}
      {(!disabled || !isDeleted) && (
        <PostButton
          action={linkToNotifications(visit, place, 'enabled')}
          fields={{ of: place, enabled: disabled ? 'true' : 'false' }}
          class="quiet"
        >
          {disabled ? 'Enable' : 'Disable'} {getPlaceName(place)}
        </PostButton>
      )}
      <a class="button quiet danger" href={linkToNotifications(visit, place, 'delete')}>
        Delete {getPlaceName(place)}…
      </a>
    </div>
  );
}
