/** The page for the notifications of a project: the settings, the state and the last result of each notification. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import {
  CHANNEL_KINDS,
  type ChannelPlace,
  getChannelKind,
  getNotificationPlace,
  HOST_KINDS,
  isOfHost,
  listChannelPlaces,
  type NotificationPlace,
} from '#shared/model/events/notification.ts';
import { ALL_NAMES, CHANNELS, getPlaceName } from '#shared/notifications/channels.ts';
import { CODE_HOSTS } from '#shared/notifications/code-hosts.ts';
import type { ListedNotification } from '#shared/notifications/find-notifications.ts';
import { toSentenceCase } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { PageHead } from '#shared/pages/design/parts.tsx';
import { FreshForm } from '#shared/pages/shell/fresh-form.tsx';
import { linkToNotifications, linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
import type { Breadcrumb, WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ChannelForm, HostForm } from './notification-forms.tsx';
import { isFormRefused, NotificationDetails, NotificationState } from './notification-state.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly listed: readonly ListedNotification[];
  /** The path of the page, without the base path. */
  readonly pathWithQuery: string;
  readonly isFresh: boolean;
}

export function makeNotificationBreadcrumbs(visit: ProjectVisit, name?: string): Breadcrumb[] {
  const settings = { name: 'Settings', href: linkToProjectSettings(visit) };
  if (name === undefined) return [settings, { name: 'Notifications' }];
  return [settings, { name: 'Notifications', href: linkToNotifications(visit) }, { name }];
}

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
              isFurther={place !== getChannelKind(place)}
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
  /** Whether another channel of this kind is connected. */
  readonly isFurther?: boolean;
  readonly icon: IconName;
  readonly note: string;
  /** The operation id of the form. If it was refused, the form is open. */
  readonly form: string;
  readonly listed: ListedNotification | undefined;
  readonly children?: Child;
}

const Receiver = ({
  place,
  isFurther = false,
  icon,
  note,
  form,
  visit,
  listed,
  pathWithQuery,
  isFresh,
  refused,
  children,
}: ReceiverProps): Html => (
  <section class="panel" id={place}>
    <header>
      <Icon name={icon} size="large" />
      <div class="grow">
        <h2>{toSentenceCase(getPlaceName(place))}</h2>
        <span class="soft">{isFurther ? 'For messages to one more channel' : note}</span>
      </div>
      {listed ? (
        <NotificationState notification={listed.notification} />
      ) : (
        !isFurther && <OutcomeBadge outcome="pending" label="not connected" />
      )}
    </header>
    <div class="pad">
      {listed && <NotificationDetails visit={visit} listed={listed} refused={refused} />}
      {!isOfDeletedProject(visit) && (
        <details open={isFormRefused(refused, place, [form])}>
          <summary>
            {listed ? 'Configure' : 'Connect'} {getPlaceName(place)}
          </summary>
          <FreshForm
            visit={visit}
            isOpen={isFresh || isFormRefused(refused, place, [form])}
            returnTo={`${pathWithQuery}#${place}`}
            form={form}
            action={`send results to ${getPlaceName(place)}`}
          >
            {children}
          </FreshForm>
        </details>
      )}
    </div>
  </section>
);

const findNotification = (
  notifications: readonly ListedNotification[],
  place: NotificationPlace,
): ListedNotification | undefined =>
  notifications.find(({ notification }) => getNotificationPlace(notification) === place);
