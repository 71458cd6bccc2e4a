/** Checks that webhook events reach a receiver. */
import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import { parsedJson } from '#infra/local/host/data-directory.ts';
import { type CheckFindings, checksOf } from './check.ts';
import { type CheckedDeployment, dataIn, eventually, must, NotHere, needed, Wrong } from './deployment.ts';
import { startReceiver } from './receiver.ts';
import { reported } from './recording.ts';
import { RefusalBody } from './refusals.ts';

const Created = z.object({ hookId: z.string(), signingSecret: z.string() });
const Sent = z.object({ deliveryId: z.string() });
const Delivery = z.object({
  deliveryId: z.string(),
  event: z.string(),
  runId: z.string().nullable(),
  attempts: z.array(z.object({ statusCode: z.int().nullable(), error: z.string().nullable() })),
});
type Delivery = z.infer<typeof Delivery>;

const LATE =
  'Read the log and the dead letters of rundown-<env>-relayOutbox, -fanOutRunEvent and -deliverWebhook, in this order. In a VPC (`subnets`), the functions need a NAT gateway, or a receiver in the VPC, given by --receiver';

/** The path of the default receiver, which is the deployment itself. It answers 404 at this path. */
const NOWHERE = '/no-such-receiver';

/** Creates a webhook, and sends it a test event. */
async function test(
  deployment: CheckedDeployment,
  found: CheckFindings,
  url: string,
  isReached: (statusCode: number) => boolean,
) {
  const { askAsKey, receiver } = deployment;
  const { projectId } = needed(found.project, 'project');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url, signed: true, label: 'npm run verify, which deletes it' });
  const created = await askAsKey('POST', `/v1/webhooks?projectId=${projectId}`, { headers, body });
  const refusal = created.status === 400 ? parsedJson(RefusalBody, created.text)?.error : undefined;
  if (refusal !== undefined) {
    if (receiver !== undefined) throw new Wrong(refusal, 'Name another receiver with --receiver');
    // The default receiver is the deployment itself, which may have a private address. Webhooks are not sent to private
    // addresses, so the check is then skipped.
    throw new NotHere(
      `the service refuses the default receiver: ${refusal} (name another receiver with --receiver <URL>)`,
    );
  }
  const { hookId, signingSecret } = dataIn(Created, created, 201);
  found.webhook = { hookId, isReached };
  const { deliveryId } = dataIn(Sent, await askAsKey('POST', `/v1/webhooks/${hookId}/test`));
  await mustArrive(deployment, found.webhook, 'the test event', (one) => one.deliveryId === deliveryId);
  return signingSecret;
}

async function mustArrive(
  deployment: CheckedDeployment,
  { hookId, isReached }: NonNullable<CheckFindings['webhook']>,
  what: string,
  isIt: (delivery: Delivery) => boolean,
): Promise<void> {
  const attempt = await eventually(deployment, async () => {
    const answer = await deployment.askAsKey('GET', `/v1/webhooks/${hookId}/deliveries?limit=50`);
    return dataIn(z.array(Delivery), answer).find(isIt)?.attempts[0];
  });
  must(attempt !== undefined, `There is no delivery attempt for ${what} after 90 seconds`);
  const { statusCode, error } = attempt;
  must(
    statusCode !== null && isReached(statusCode),
    `The delivery of ${what} failed: ${error ?? `answer ${statusCode}`}`,
  );
}

export const WEBHOOKS = checksOf('Webhooks', [
  {
    name: 'A test event is delivered to a new webhook',
    fix: LATE,
    run: async (deployment, found) => {
      const { origin, receiver, isOnThisMachine } = deployment;
      if (receiver !== undefined) {
        await test(deployment, found, receiver, (statusCode) => statusCode >= 200 && statusCode < 300);
        return [`sent to ${receiver}`];
      }
      if (!isOnThisMachine) {
        await test(deployment, found, origin + NOWHERE, (statusCode) => statusCode === 404);
        return ['sent to this deployment, which answers 404; name a real receiver with --receiver <URL>'];
      }
      found.receiver = await startReceiver();
      const { url, received } = found.receiver;
      const signingSecret = await test(deployment, found, url, (statusCode) => statusCode === 204);
      const [event] = received;
      must(event !== undefined, 'The service reports a delivery that did not arrive here');
      new Webhook(signingSecret).verify(event.body, event.headers);
      return ['received on this machine, with its signature'];
    },
  },
]);

/** These checks run after a test run has been recorded, because they expect the events of that run. */
export const EVENTS = checksOf('Recording', [
  {
    name: 'The end of the run is delivered to the webhook',
    fix: LATE,
    run: async (deployment, found) => {
      const { runId } = reported(found.run);
      const webhook = needed(found.webhook, 'webhook');
      await mustArrive(deployment, webhook, 'RUN_FINISH', (one) => one.runId === runId && one.event === 'RUN_FINISH');
    },
  },
]);
