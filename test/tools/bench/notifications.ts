/** Counts the cost of notifying GitHub about the end of a run, with a commit status and a new comment. */
import { createServer, type IncomingMessage } from 'node:http';
import { OPERATOR } from '#shared/access/actor.ts';
import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import type { GroupEvent } from '#shared/model/events/domain-event.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { runs } from '#shared/model/runs/run.ts';
import { deliverNotification } from '#shared/notifications/delivery/deliver-notification.ts';
import { fanOutNotifications } from '#shared/notifications/fan-out-notifications.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { NotificationSettings } from '#shared/notifications/settings-wire.ts';
import type { Services } from '#shared/services.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { listenTo } from './receivers.ts';
import { beginTest, claim, startRun } from './recording.ts';
import { suiteOf } from './suite.ts';

const SECRETS = { put: async () => {}, remove: async () => {}, get: async () => 'token' };
const PULL = { headSha: 'a'.repeat(40), htmlUrl: 'https://github.com/acme/shop/pull/7', prTitle: null };

function answerTo({ method, url = '' }: IncomingMessage): readonly [number, object] {
  if (method !== 'GET') return [201, { id: 1 }];
  return [200, url.includes('/pulls/') ? { head: { sha: PULL.headSha } } : []];
}

/** Measures the notification. Needs a service whose relay does not run in the background. */
export async function measureNotifications(service: BenchService): Promise<Measurement[]> {
  const server = createServer((request, response) => {
    const [status, body] = answerTo(request);
    request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
  });
  const apiUrl = await listenTo(server);
  try {
    const event = await endedRun(service);
    const given = { kind: 'github', apiUrl, repository: 'acme/shop', sendsStatus: true, comments: true };
    const settings = NotificationSettings.parse({ ...given, credential: 'token' });
    const services = { ...service.services, secrets: SECRETS };
    await saveNotification(services, { ...event, actor: OPERATOR, settings });
    const table = services.table.metered();
    await told({ ...services, table }, event);
    const { readUnits, writeUnits, trips } = table.meter;
    return [{ name: 'notificationUnits', measured: writeUnits, note: `${readUnits} RRU in ${trips} round trips` }];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function told(services: Services & { readonly secrets: typeof SECRETS }, event: GroupEvent): Promise<void> {
  const jobs: QueuedMessage<DeliveryJob>[] = [];
  const queue = { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) };
  await fanOutNotifications(event, { ...services, queue });
  const [job] = jobs;
  if (!job) throw new Error('The event has no job');
  const [note] = await deliverNotification(job.message, { ...services, queue });
  if (!note || !('delivered' in note)) throw new Error(`The notification was not delivered: ${JSON.stringify(note)}`);
}

/** Records a run of two tests for a pull request. Returns the event of the run's end. */
async function endedRun(service: BenchService): Promise<GroupEvent> {
  const suite = suiteOf({ specs: 2, testsPerSpec: 1 });
  const runId = await startRun(service, 'notifications', suite);
  for (const { spec, tests } of suite) {
    const instanceId = await claim(service, runId, { spec, tests });
    for (const test of tests) await (await beginTest(service, { runId, instanceId, spec }, test)).end();
  }
  const { organizationId, projectId, services } = service;
  const found = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  if (found?.endedAt === undefined) throw new Error('The run has not ended');
  const commit = { ...found.commit, ghaEventData: { ...NO_EVENT, ...PULL } };
  await services.table.put(runs, { ...found, commit });
  const counters = { overall: 2, passes: 2, failures: 0, pending: 0, skipped: 0, retries: 0, flaky: 0 };
  return {
    type: 'RunEnded',
    version: 1,
    ending: 'finish',
    organizationId,
    projectId,
    runId,
    counters,
    commit,
    runCreatedAt: found.createdAt,
    occurredAt: found.endedAt,
    ciBuildId: found.ciBuildId,
    tags: [],
    groupId: 'retail',
    hasSeveralGroups: false,
  };
}

const NO_EVENT = {
  headRef: null,
  headSha: null,
  baseRef: null,
  baseSha: null,
  issueUrl: null,
  htmlUrl: null,
  prTitle: null,
  senderAvatarUrl: null,
  senderHtmlUrl: null,
};
