/** The page for the notifications of a project: the settings, the state and the last result of each notification. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { hasCredential } from '#shared/model/credential.ts';
import {
  CHANNEL_KINDS,
  type ChannelPlace,
  getChannelKind,
  getNotificationPlace,
  HOST_KINDS,
  isOfHost,
  listChannelPlaces,
  type Notification,
  type NotificationPlace,
} from '#shared/model/events/notification.ts';
import type { NotificationDelivery } from '#shared/model/events/notification-delivery.ts';
import { ALL_NAMES, CHANNELS, getPlaceName } from '#shared/notifications/channels.ts';
import { CODE_HOSTS } from '#shared/notifications/code-hosts.ts';
import type { ListedNotification } from '#shared/notifications/find-notifications.ts';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime, toSentenceCase } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { Fact, Notice, PageHead } from '#shared/pages/design/parts.tsx';
import { FreshForm } from '#shared/pages/shell/fresh-form.tsx';
import { linkToNotifications, linkToProjectSettings, linkToRun } from '#shared/pages/shell/hrefs.ts';
import type { Breadcrumb, RefusedForm, WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ChannelForm, HostForm } from './notification-forms.tsx';
import { DeliveryBadge } from './webhook-deliveries.tsx';
import { ReceiverState } from './webhook-names.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly listed: readonly ListedNotification[];
  /** The path of the page, without the base path. */
  readonly here: string;
  readonly isFresh: boolean;
}

export const makeNotificationBreadcrumbs = (visit: ProjectVisit, name?: string): Breadcrumb[] => [
  { name: 'Settings', href: linkToProjectSettings(visit) },
  ...(name === undefined
    ? [{ name: 'Notifications' }]
    : [{ name: 'Notifications', href: linkToNotifications(visit) }, { name }]),
];

export function NotificationsPage({ visit, listed, refused, ...entering }: Props): Html {
  return (
    <>
      <PageHead
        title="Notifications"
        meta={`Send run results to ${ALL_NAMES}. Stored credentials are never shown.`}
        actions={
          listed.length > 0 && (
            <a class="button quiet" href={linkToNotifications(visit)}>
              <Icon name="refresh-cw" />
              Refresh
            </a>
          )
        }
      />
      <div class="stack reading">
        {HOST_KINDS.map((kind) => {
          const listedNotification = findNotification(listed, kind);
          return (
            <Receiver
              place={kind}
              icon="git-pull-request"
              note={`Commit statuses, and comments on ${CODE_HOSTS[kind].change}s`}
              form="submitHostNotification"
              visit={visit}
              listed={listedNotification}
              refused={refused}
              {...entering}
            >
              <HostForm
                visit={visit}
                kind={kind}
                refused={refused}
                notification={
                  listedNotification?.notification.kind === kind ? listedNotification.notification : undefined
                }
              />
            </Receiver>
          );
        })}
        {listShownPlaces(listed).map((place) => {
          const listedNotification = findNotification(listed, place);
          const notification = listedNotification?.notification;
          return (
            <Receiver
              place={place}
              icon="hash"
              note={CHANNELS[getChannelKind(place)].note ?? 'Messages about runs'}
              form="submitChannelNotification"
              visit={visit}
              listed={listedNotification}
              refused={refused}
              {...entering}
            >
              <ChannelForm
                visit={visit}
                place={place}
                refused={refused}
                notification={notification && !isOfHost(notification) ? notification : undefined}
              />
            </Receiver>
          );
        })}
      </div>
    </>
  );
}

/** The channels of each kind that are connected, and the next one that could be. */
const listShownPlaces = (notifications: readonly ListedNotification[]): readonly ChannelPlace[] =>
  CHANNEL_KINDS.flatMap((kind) => {
    const places = listChannelPlaces(kind);
    const freePlace = places.find((place) => !findNotification(notifications, place));
    return places.filter((place) => place === freePlace || findNotification(notifications, place));
  });

interface ReceiverProps extends Omit<Props, 'listed'> {
  readonly place: NotificationPlace;
  readonly icon: IconName;
  readonly note: string;
  /** The operation id of the form. If it was refused, the form is open. */
  readonly form: string;
  readonly listed: ListedNotification | undefined;
  readonly children?: Child;
}

const Receiver = ({
  place,
  icon,
  note,
  form,
  visit,
  listed,
  here,
  isFresh,
  refused,
  children,
}: ReceiverProps): Html => (
  <section class="panel" id={place}>
    <header>
      <Icon name={icon} size="large" />
      <div class="grow">
        <h2>{toSentenceCase(getPlaceName(place))}</h2>
        <span class="soft">{note}</span>
      </div>
      {listed ? (
        <NotificationState notification={listed.notification} />
      ) : (
        <OutcomeBadge outcome="pending" label="not connected" />
      )}
    </header>
    <div class="pad">
      {listed && <State visit={visit} listed={listed} refused={refused} />}
      <details open={isFormRefused(refused, place, [form])}>
        <summary>
          {listed ? 'Configure' : 'Connect'} {getPlaceName(place)}
        </summary>
        <FreshForm
          visit={visit}
          isOpen={isFresh || isFormRefused(refused, place, [form])}
          here={`${here}#${place}`}
          form={form}
          action={`send results to ${getPlaceName(place)}`}
        >
          {children}
        </FreshForm>
      </details>
    </div>
  </section>
);

const findNotification = (
  notifications: readonly ListedNotification[],
  place: NotificationPlace,
): ListedNotification | undefined =>
  notifications.find(({ notification }) => getNotificationPlace(notification) === place);

const REASONS: Readonly<Record<string, string>> = {
  byHand: 'by a person',
  failing: 'because deliveries failed for days',
  gone: 'because the receiver answered 410 Gone',
};

const State = ({
  visit,
  listed: { notification, last },
  refused,
}: Pick<Props, 'visit' | 'refused'> & { readonly listed: ListedNotification }): Html => (
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
      {!isOfHost(notification) && notification.branches && (
        <Fact name="Branches">{notification.branches.join(', ')}</Fact>
      )}
      <Fact name="Last result">{last ? <LastResult visit={visit} delivery={last} /> : 'none yet'}</Fact>
    </dl>
    <Actions visit={visit} notification={notification} />
  </>
);

const isFormRefused = (refusal: RefusedForm | undefined, place: NotificationPlace, forms: readonly string[]): boolean =>
  refusal?.values['of'] === place && forms.includes(refusal.operationId);

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

function LastResult({
  visit,
  delivery: { status, event, runId, createdAt, attempts },
}: Pick<Props, 'visit'> & { readonly delivery: NotificationDelivery }): Html {
  const { error = null, answer = null } = attempts.at(-1) ?? {};
  return (
    <>
      <DeliveryBadge status={status} /> {EVENTS[event]}, <FullTime at={createdAt} />
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

function Actions({ visit, notification }: Pick<Props, 'visit'> & { readonly notification: Notification }): Html {
  const place = getNotificationPlace(notification);
  const { disabled } = notification;
  return (
    <div class="actions">
      {hasCredential(notification) && (
        <PostButton action={linkToNotifications(visit, place, 'test')} fields={{ of: place }} class="quiet">
          Send a test to {getPlaceName(place)}
        </PostButton>
      )}
      <PostButton
        action={linkToNotifications(visit, place, 'enabled')}
        fields={{ of: place, enabled: disabled ? 'true' : 'false' }}
        class="quiet"
      >
        {disabled ? 'Enable' : 'Disable'} {getPlaceName(place)}
      </PostButton>
      <a class="button quiet danger" href={linkToNotifications(visit, place, 'delete')}>
        Delete {getPlaceName(place)}…
      </a>
    </div>
  );
}
