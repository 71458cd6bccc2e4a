import { GatheredMessages } from '#shared/engine/outbox/gathered-messages.ts';
import { CallSlotsByCall } from '#shared/fair-shares/call-slots.ts';
import { runWithSlot } from '#shared/fair-shares/with-slot.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { dueNotifications } from '#shared/model/due.ts';
import { notifications } from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { notificationTargets } from '#shared/model/events/notification-target.ts';
import { knownIssues } from '#shared/model/issues/known-issue.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { failures } from '#shared/model/results/failures.ts';
import { history } from '#shared/model/results/history-row.ts';
import { instances } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { buildTries } from '#shared/model/runs/build-tries.ts';
import { completeRuns } from '#shared/model/runs/complete-run.ts';
import { joins } from '#shared/model/runs/join.ts';
import { runs } from '#shared/model/runs/run.ts';
import { runsOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { deliverNotification, NOTIFICATION_CAPS } from '#shared/notifications/delivery/deliver-notification.ts';
import { connectCallShare, connectNotificationQueue, connectSecrets } from '#shared/platform/connect.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { Connections } from '#shared/sending/connections.ts';
import { QueuedJob } from '#shared/webhooks/deliver-with-slot.ts';

const queue = new GatheredMessages(connectNotificationQueue());
const secrets = connectSecrets();
const connections = new Connections();
const slots = new CallSlotsByCall(NOTIFICATION_CAPS, connectCallShare());

export const handler = consumer({
  name: 'deliverNotification',
  source: 'notification',
  access: {
    table: 'readWrite',
    // The kinds of rows that are read to compare the run with an earlier one, and with others of its commit.
    reads: [
      activeOrganizations,
      completeRuns,
      runsOfCommit,
      buildTries,
      joins,
      failures,
      history,
      instances,
      knownIssues,
      testRecords,
      runs,
      projects,
    ],
    writes: [
      adminNews,
      auditRecords,
      notifications,
      notificationDeliveries,
      notificationTargets,
      dueNotifications,
      callSlots,
    ],
    artifacts: 'none',
    secrets: 'read',
  },
  sends: ['notificationQueue'],
  summary: 'Sends one notification to its receiver, and schedules the next attempt if it fails',
  maxReceiveCount: 5,
  // A delivery starts its last request within 20 seconds, and each request takes at most 10 seconds.
  timeoutSeconds: 60,
  messagesPerCall: 10,
  concurrently: true,
  metrics: ['delivered', 'failed', 'exhausted', 'disabled', 'deferred', 'rounds'],
  message: QueuedJob,
  handle: (job, services, call) => {
    const sender = { ...services, queue, connections, secrets: secrets() };
    return runWithSlot({ ...sender, slots: slots.of(call) }, job, job, () => deliverNotification(job, sender));
  },
});
