/** Compares the rate of webhook deliveries with the rate of a minimal sender, in alternating rounds. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import type { RunEnded } from '#shared/model/events/domain-event.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { Connections } from '#shared/sending/connections.ts';
import { deliverToWebhook } from '#shared/webhooks/deliver-with-slot.ts';
import { fanOutWebhooks, toWebhookBody } from '#shared/webhooks/fan-out.ts';
import { sendToWebhook } from '#shared/webhooks/send-to-webhook.ts';
import { createSigningSecret } from '#shared/webhooks/sign.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement, Ratio } from './budgets.ts';
import { secondsFor } from './load.ts';
import { median } from './medians.ts';
import { addWebhook, type Receiver, startReceiver } from './receivers.ts';

const IN_FLIGHT = 16;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 11;
const COUNTS = { bare: 6000, sent: 3000, delivered: 300 };

interface Rates {
  readonly bare: number;
  readonly sent: number;
  readonly delivered: number;
}

export async function measureSending(service: BenchService): Promise<{ measurements: Measurement[]; ratios: Ratio[] }> {
  const receiver = await startReceiver();
  try {
    await addWebhook(service, receiver);
    const connections = new Connections();
    const rounds: Rates[] = [];
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
      const jobs = await jobsFor(service, COUNTS.delivered, round);
      rounds.push({
        bare: COUNTS.bare / (await secondsFor(receiver.origin, bareRequests(COUNTS.bare), IN_FLIGHT)),
        sent: COUNTS.sent / (await secondsToSend(service, receiver, connections)),
        delivered: COUNTS.delivered / (await secondsToDeliver(service, jobs, connections)),
      });
    }
    return reportOf(rounds.slice(WARM_UP_ROUNDS));
  } finally {
    receiver.close();
  }
}

function reportOf(rounds: readonly Rates[]) {
  const ratio = (label: string, name: 'sent' | 'delivered'): Ratio => ({
    label,
    unit: 'deliveries/s',
    ratio: median(rounds.map((rates) => rates[name] / rates.bare)),
    perSecond: median(rounds.map((rates) => rates[name])),
    barePerSecond: median(rounds.map(({ bare }) => bare)),
  });
  const sent = ratio('Webhook requests sent, signed', 'sent');
  const note = `signed, ${IN_FLIGHT} in flight, median of ${ROUNDS} rounds`;
  return {
    measurements: [{ name: 'sendingTimes' as const, measured: 1 / sent.ratio, note }],
    ratios: [sent, ratio('Webhook deliveries, with the table', 'delivered')],
  };
}

const eventOf = (ids: Pick<RunEnded, 'organizationId' | 'projectId' | 'runId' | 'occurredAt'>): RunEnded => ({
  type: 'RunEnded',
  version: 1,
  ending: 'finish',
  ...ids,
  runCreatedAt: ids.occurredAt,
  groupId: 'chromium',
  hasSeveralGroups: false,
  ciBuildId: 'checkout-4711',
  tags: ['nightly', 'consumer', 'smoke'],
  commit: {
    sha: '0f3c9d1e5b7a2468ace013579bdf02468ace1357',
    branch: 'main',
    authorName: 'Alex Doe',
    authorEmail: 'alex.doe@example.com',
    message: 'Keep the discount when an order is split\n',
    remoteOrigin: 'https://git.example.com/shop/checkout.git',
    defaultBranch: 'main',
  },
  counters: { overall: 500, passes: 470, failures: 20, pending: 5, skipped: 5, retries: 30, flaky: 10 },
  status: 'FAILED',
});

const ANY_RUN = { organizationId: 'o', projectId: 'p', runId: '6a1f0c5d2e3b4a59', occurredAt: 0 };
const BODY = JSON.stringify(toWebhookBody('https://rundown.example.com', eventOf(ANY_RUN)));

const bareRequests = (count: number) =>
  Array.from({ length: count }, () => ({
    method: 'POST',
    path: '/hook',
    headers: { 'content-type': 'application/json' },
    body: BODY,
  }));

/** Measures the time to check addresses, and to sign and send requests, without using the table. */
function secondsToSend({ services }: BenchService, { origin }: Receiver, connections: Connections): Promise<number> {
  const secrets = [createSigningSecret()];
  const message = { url: `${origin}/hook`, headers: null, secrets, body: BODY };
  return secondsOf(
    Array.from({ length: COUNTS.sent }, (_, place) => `msg_${place}`),
    async (id) => {
      const kept = connections.of('sent', services.now());
      const { outcome } = await sendToWebhook({ ...message, id }, { ...services, kept });
      return outcome;
    },
  );
}

function secondsToDeliver(
  { services }: BenchService,
  jobs: readonly DeliveryJob[],
  connections: Connections,
): Promise<number> {
  const queue = { send: async () => {} };
  return secondsOf(jobs, async (order) => {
    const [note] = await deliverToWebhook(order, { ...services, queue, connections });
    return note && 'outcome' in note ? note.outcome : note;
  });
}

async function secondsOf<Work>(all: readonly Work[], act: (work: Work) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const outcomes = await mapConcurrently(all, act, IN_FLIGHT);
  const seconds = (performance.now() - started) / 1000;
  const other = outcomes.find((outcome) => outcome !== 'delivered');
  if (other !== undefined) throw new Error(`A delivery was not successful: ${JSON.stringify(other)}`);
  return seconds;
}

/** Stores deliveries, and returns the jobs of their first attempts. */
async function jobsFor({ services, organizationId, projectId }: BenchService, count: number, round: number) {
  const jobs: QueuedMessage<DeliveryJob>[] = [];
  const queue = { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) };
  const now = services.now();
  const ids = { organizationId, projectId, occurredAt: now };
  const events = Array.from({ length: count }, (_, place) => eventOf({ ...ids, runId: `${round}-${place}` }));
  await mapConcurrently(events, (event) => fanOutWebhooks(event, { ...services, queue }));
  return jobs.map(({ message }) => message);
}
