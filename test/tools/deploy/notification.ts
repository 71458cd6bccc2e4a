/** A stand-in for Slack that is notified about runs. Its address is a secret in Parameter Store. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { TestReceiver } from '#infra/cli/verify/receiver.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { Services } from '#shared/services.ts';
import type { Emulator } from './emulator.ts';
import type { Account } from './recording.ts';

const SECONDS = 90;

interface Deployed {
  readonly connected: Services;
  readonly emulator: Emulator;
  /** The Parameter Store prefix of notification credentials, which is an output of the stack. */
  readonly secretsPrefix: string;
}

/** Creates a Slack notification with the address of the receiver, as an operator does. */
export async function tell(
  { connected, emulator, secretsPrefix }: Deployed,
  { organizationId, projectId }: Pick<Account, 'projectId'> & { readonly organizationId: string },
  { url }: TestReceiver,
): Promise<void> {
  const secrets = connectSecrets({ ...emulator.environment, [ENVIRONMENT.secretsPrefix]: secretsPrefix })();
  const settings = { kind: 'slack', runs: 'all', credential: url } as const;
  const services = { ...connected, secrets, privateReceivers: 'machine' } as const;
  await saveNotification(services, { organizationId, projectId, actor: OPERATOR, settings });
}

/**
 * Waits for the message about the build. It passes through the stream, the bus, two queues and functions with cold
 * starts.
 */
export async function told({ received }: TestReceiver, ciBuildId: string): Promise<void> {
  const deadline = Date.now() + SECONDS * 1000;
  const isTold = () => received.some(({ body }) => body.includes(ciBuildId));
  while (!isTold() && Date.now() < deadline) await wait(200);
  assert.ok(isTold(), `Slack got no message about ${ciBuildId} within ${SECONDS} s, only ${JSON.stringify(received)}`);
}
