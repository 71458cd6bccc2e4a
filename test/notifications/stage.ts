/** A project and a stand-in for a code host. `save` creates the notification that sends requests to the host. */
import { expect } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import {
  deriveNotificationId,
  type HostKind,
  type Notification,
  notifications,
} from '#shared/model/events/notification.ts';
import {
  getNotificationDeliveriesSpan,
  type NotificationDelivery,
  notificationDeliveries,
} from '#shared/model/events/notification-delivery.ts';
import { type NotificationTarget, notificationTargets } from '#shared/model/events/notification-target.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { NotificationSettings } from '#shared/notifications/settings-wire.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { HEAD, type HostStandIn, TOKEN } from '#test/harness/code-host.ts';
import { GithubStandIn, REPOSITORY } from '#test/harness/github.ts';
import { GITLAB_PROJECT, GitlabStandIn } from '#test/harness/gitlab.ts';
import { queueOf } from '#test/harness/queues.ts';
import { type GroupOfRun, type RecordedRun, recordRun } from '#test/harness/recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, type TestState } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

export type Stage = Awaited<ReturnType<typeof stage>>;

/** The settings of a notification to a code host with a commit status and a comment. */
export const hostSettings = (kind: HostKind, apiUrl: string, more: object = {}) =>
  NotificationSettings.parse({
    kind,
    apiUrl,
    repository: PLACES[kind],
    sendsStatus: true,
    comments: true,
    credential: TOKEN,
    ...more,
  });

export const STAND_INS: Readonly<Record<HostKind, { readonly start: () => Promise<HostStandIn> }>> = {
  github: GithubStandIn,
  gitlab: GitlabStandIn,
};

export async function stage(kind: HostKind = 'github') {
  const tenant = await service();
  // The tests of notifications read no analytics, so the messages for analytics stay in the queue to save time.
  await queueOf(tenant.environment, 'compileEndedRun').delay(900);
  const host = await STAND_INS[kind].start();
  const services = { ...tenant.services, secrets: connectSecrets(tenant.environment)() };
  const { organizationId, projectId } = tenant;
  const request = { organizationId, projectId, actor: OPERATOR };
  const key = { organizationId, hookId: deriveNotificationId(projectId, kind) };
  const save = (more: object = {}): Promise<Notification> =>
    saveNotification(services, { ...request, settings: hostSettings(kind, host.url, more) });
  const notificationNow = () => services.table.get(notifications, key, { consistent: true });
  const deliveries = (): Promise<NotificationDelivery[]> =>
    services.table.queryAll(notificationDeliveries, getNotificationDeliveriesSpan(key), { consistent: true });
  /** Waits until `count` deliveries have ended. Returns all deliveries, oldest first. */
  const settled = async (count: number): Promise<NotificationDelivery[]> => {
    await expect.poll(async () => (await deliveries()).filter(({ status }) => status !== 'pending').length).toBe(count);
    return deliveries();
  };
  return {
    ...tenant,
    services,
    kind,
    host,
    ofPull: pullOf(kind),
    request,
    key,
    save,
    notificationNow,
    deliveries,
    settled,
  };
}

/** Returns the targets of the notification: the commits and pull requests to which it writes. */
export async function targetsOf({ services, key }: Stage): Promise<NotificationTarget[]> {
  const { pk } = notificationTargets.key({ ...key, target: '' });
  const span = { pk, from: 'TARGET#', to: 'TARGET#\u{10ffff}' };
  return services.table.queryAll(notificationTargets, span, { consistent: true });
}

export const PLACES: Readonly<Record<HostKind, string>> = { github: REPOSITORY, gitlab: GITLAB_PROJECT };
const PULL_PATHS: Readonly<Record<HostKind, string>> = { github: 'pull', gitlab: '-/merge_requests' };

/** Returns the commit data that CI sends for a run of a pull request. */
const pullOf =
  (kind: HostKind) =>
  (number: number, headSha: string = HEAD, repository: string = PLACES[kind]) => ({
    ...COMMIT,
    branch: `feature-${number}`,
    ghaEventData: {
      headSha,
      htmlUrl: `https://${kind}.com/${repository}/${PULL_PATHS[kind]}/${number}`,
      prTitle: 'Net prices',
    },
  });

export const ofPull = pullOf('github');

/** Records a run, one second after the previous one. */
export function run(
  tenant: Tenant,
  ciBuildId: string,
  groups: Readonly<Record<string, GroupOfRun>>,
  commit: object = COMMIT,
): Promise<RecordedRun> {
  clock.advance(1000);
  return recordRun(tenant, groups, { ciBuildId, commit });
}

/** Records a complete run with one request, for tests that only need the end of the run. */
export function runAtOnce(
  tenant: Tenant,
  ciBuildId: string,
  tests: Readonly<Record<string, TestState>>,
  commit: object = COMMIT,
): ReturnType<typeof uploadRun> {
  clock.advance(1000);
  return uploadRun(tenant, tests, { ciBuildId, commit });
}
