/** Checks that webhook events reach a receiver. */

import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import { parseData } from '#infra/local/host/json-files.ts';
import { parseAnswerData } from './answers.ts';
import { type CheckFindings, defineChecks } from './check.ts';
import { type CheckedDeployment, pollUntilFound } from './deployment.ts';
import { must, NotHere, requireFinding, Wrong } from './outcome.ts';
import { startReceiver } from './receiver.ts';
import { requireReportedRun } from './recording.ts';
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

async function createAndTestWebhook(
  deployment: CheckedDeployment,
  findings: CheckFindings,
  url: string,
  isReached: (statusCode: number) => boolean,
) {
  const { askAsKey, receiver } = deployment;
  const { projectId } = requireFinding(findings.project, 'project');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url, signed: true, label: 'npm run verify, which deletes it' });
  const answer = await askAsKey('POST', `/v1/webhooks?projectId=${projectId}`, { headers, body });
  const refusal = answer.status === 400 ? parseData(RefusalBody, answer.text)?.error : undefined;
  if (refusal !== undefined) {
    if (receiver !== undefined) throw new Wrong(refusal, 'Name another receiver with --receiver');
    // The default receiver, the deployment itself, may have a private address, to which webhooks are not sent.
    throw new NotHere(
      `the service refuses the default receiver: ${refusal} (name another receiver with --receiver <URL>)`,
    );
  }
  const { hookId, signingSecret } = parseAnswerData(Created, answer, 201);
  findings.webhook = { hookId, isReached };
  const { deliveryId } = parseAnswerData(Sent, await askAsKey('POST', `/v1/webhooks/${hookId}/test`));
  await mustArrive(deployment, findings.webhook, 'the test event', (one) => one.deliveryId === deliveryId);
  return signingSecret;
}

async function mustArrive(
  deployment: CheckedDeployment,
  { hookId, isReached }: NonNullable<CheckFindings['webhook']>,
  what: string,
  isIt: (delivery: Delivery) => boolean,
): Promise<void> {
  const attempt = await pollUntilFound(deployment, async () => {
    const answer = await deployment.askAsKey('GET', `/v1/webhooks/${hookId}/deliveries?limit=50`);
    return parseAnswerData(z.array(Delivery), answer).find(isIt)?.attempts[0];
  });
  must(attempt !== undefined, `There is no delivery attempt for ${what} after 90 seconds`);
  const { statusCode, error } = attempt;
  must(
    statusCode !== null && isReached(statusCode),
    `The delivery of ${what} failed: ${error ?? `answer ${statusCode}`}`,
  );
}

export const WEBHOOK_CHECKS = defineChecks('Webhooks', [
  {
    name: 'A test event is delivered to a new webhook',
    fix: LATE,
    run: async (deployment, findings) => {
      const { origin, receiver, isOnThisMachine } = deployment;
      if (receiver !== undefined) {
        await createAndTestWebhook(
          deployment,
          findings,
          receiver,
          (statusCode) => statusCode >= 200 && statusCode < 300,
        );
        return [`sent to ${receiver}`];
      }
      if (!isOnThisMachine) {
        // 403 if the setting `allowedSources` does not list the functions themselves. Both prove that they reach the internet.
        const isAnswered = (statusCode: number) => statusCode === 404 || statusCode === 403;
        await createAndTestWebhook(deployment, findings, origin + NOWHERE, isAnswered);
        return ['sent to this deployment, which answers 404 or 403; name a real receiver with --receiver <URL>'];
      }
      findings.receiver = await startReceiver();
      const { url, received } = findings.receiver;
      const signingSecret = await createAndTestWebhook(deployment, findings, url, (statusCode) => statusCode === 204);
      const [event] = received;
      must(event !== undefined, 'The service reports a delivery that did not arrive here');
      new Webhook(signingSecret).verify(event.body, event.headers);
      return ['received on this machine, with its signature'];
    },
  },
]);

/** These checks run after a test run has been recorded, because they expect the events of that run. */
export const RUN_EVENT_CHECKS = defineChecks('Recording', [
  {
    name: 'The end of the run is delivered to the webhook',
    fix: LATE,
    run: async (deployment, findings) => {
      const { runId } = requireReportedRun(findings.run);
      const webhook = requireFinding(findings.webhook, 'webhook');
      await mustArrive(deployment, webhook, 'RUN_FINISH', (one) => one.runId === runId && one.event === 'RUN_FINISH');
    },
  },
]);
