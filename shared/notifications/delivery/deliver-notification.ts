/** Delivers notifications with the code that also delivers webhooks: there is one job for each attempt. */
import { DELIVERY } from '#shared/access/actor.ts';
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import type { Caps } from '#shared/fair-shares/call-slots.ts';
import { readCredential } from '#shared/model/credential.ts';
import { dueNotifications } from '#shared/model/due.ts';
import {
  type ChannelKind,
  getNotificationPlace,
  type HostKind,
  isOfHost,
  type Notification,
  notifications,
} from '#shared/model/events/notification.ts';
import { type NotificationDelivery, notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { buildGenericBody } from '#shared/notifications/channels/generic.ts';
import { buildSlackBody } from '#shared/notifications/channels/slack.ts';
import { buildTeamsBody } from '#shared/notifications/channels/teams.ts';
import { DeliveryProblem } from '#shared/notifications/delivery-problem.ts';
import { GITHUB } from '#shared/notifications/hosts/github-wire.ts';
import { GITLAB } from '#shared/notifications/hosts/gitlab-wire.ts';
import type { CodeHost } from '#shared/notifications/hosts/host-api.ts';
import { writeToHost } from '#shared/notifications/hosts/write-to-host.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import type { RunFacts } from '#shared/notifications/run-facts.ts';
import { tellChannel } from '#shared/notifications/tell-channel.ts';
import { planFailureRecord } from '#shared/organizations/change.ts';
import type { Connections } from '#shared/sending/connections.ts';
import type { SendOutcome, SpecialOutcome } from '#shared/sending/delivery-channel.ts';
import type { Network } from '#shared/sending/exchange.ts';
import type { JobServices } from '#shared/sending/queue-deliveries.ts';
import { runJob } from '#shared/sending/run-job.ts';
import type { Services } from '#shared/services.ts';

export interface NotificationSender extends Services {
  readonly queue: JobServices['queue'];
  readonly secrets: Pick<Secrets, 'get'>;
  readonly connections?: Connections;
  readonly lookup?: Network['lookup'];
}

/** Concurrency limits, so that slow receivers of one organization do not delay deliveries to other organizations. */
export const NOTIFICATION_CAPS: Caps = {
  ...NOTIFICATION_LIMITS.sending,
  work: 'notifications',
  leaseMilliseconds: NOTIFICATION_LIMITS.leaseMilliseconds,
};

export const deliverNotification = (job: DeliveryJob, sender: NotificationSender): Promise<readonly object[]> =>
  runJob<Notification, NotificationDelivery>(job, sender, {
    receivers: notifications,
    deliveries: notificationDeliveries,
    due: dueNotifications,
    testsWhileOff: true,
    planFailure: (notification, reason) => planNotificationFailure(sender, notification, reason),
    send: async (notification, delivery, at) => {
      try {
        const answer = await tellReceiver(sender, notification, delivery, at);
        return { outcome: 'delivered', attempt: makeAttempt(sender, at, { statusCode: 200, error: null, answer }) };
      } catch (error) {
        if (error instanceof DeliveryProblem) return toOutcome(sender, at, error);
        throw error;
      }
    },
  });

/** §5.1 Tells the Admins that the service has disabled the notification. */
async function planNotificationFailure(
  services: NotificationSender,
  notification: Notification,
  reason: string,
): Promise<readonly Write[]> {
  const project = await services.table.get(projects, notification);
  return planFailureRecord(services, DELIVERY, {
    organizationId: notification.organizationId,
    action: 'notification failed',
    subject: notification.projectId,
    label: project?.name ?? notification.projectId,
    detail: `${getNotificationPlace(notification)}: ${reason}`,
  });
}

async function tellReceiver(
  sender: NotificationSender,
  notification: Notification,
  delivery: NotificationDelivery,
  at: number,
): Promise<string> {
  const run = await readRun(sender, delivery);
  const secret = await readCredential(sender.secrets, notification);
  if (secret === undefined)
    throw new DeliveryProblem({ kind: 'refused' }, 'The stored credential no longer exists. Enter it again');
  const agents = sender.connections?.of(notification.hookId, at);
  const network = { ...sender, kept: agents };
  if (isOfHost(notification)) {
    const host = HOSTS[notification.kind];
    return writeToHost(sender, network, { host, notification, delivery, run, token: secret });
  }
  return tellChannel(sender, sender, { notification, run, address: secret, bodyOf: BODIES[notification.kind] });
}

const HOSTS: Readonly<Record<HostKind, CodeHost>> = { github: GITHUB, gitlab: GITLAB };

const BODIES: Readonly<Record<ChannelKind, (content: RunFacts | string) => object>> = {
  slack: buildSlackBody,
  teams: buildTeamsBody,
  generic: buildGenericBody,
};

/** Returns `undefined` for a test notification. */
async function readRun(
  { table }: NotificationSender,
  { organizationId, runId }: NotificationDelivery,
): Promise<Run | undefined> {
  if (runId === null) return undefined;
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (!run) throw new DeliveryProblem({ kind: 'pointless' }, 'The run no longer exists');
  return run;
}

const makeAttempt = (
  { now }: NotificationSender,
  at: number,
  result: { readonly statusCode: number | null; readonly error: string | null; readonly answer: string | null },
) => ({ at, latencyMs: now() - at, ...result });

function toOutcome(
  sender: NotificationSender,
  at: number,
  { verdict, message, statusCode }: DeliveryProblem,
): SendOutcome | SpecialOutcome {
  const attempt = makeAttempt(sender, at, { statusCode, error: message, answer: null });
  switch (verdict.kind) {
    case 'failed':
      return { outcome: 'failed', attempt, retryAfter: verdict.retryAfter, pauses: verdict.pauses === true };
    case 'refused':
      return { outcome: 'refused', attempt, problem: message };
    case 'pointless':
      return { outcome: 'pointless', attempt };
    case 'busy':
      return { outcome: 'busy', until: verdict.until };
  }
}
