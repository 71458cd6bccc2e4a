/** §6 The secrets that deliveries to a webhook are signed with. A new one is shown once; the one before signs beside it for a day. */

import { type Webhook, webhooks } from '../resources/webhook.ts';
import type { Administration } from '../services.ts';
import { PRESENT, update } from '../table/writes.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { changeWebhook, type Of } from './change-webhook.ts';
import { createSigningSecret } from './sign.ts';

type Secrets = Webhook['secrets'];

export function rotateSecret(services: Administration, of: Of): Promise<{ hookId: string; signingSecret: string }> {
  return changeWebhook(services, of, (webhook) => {
    const signingSecret = createSigningSecret();
    const secrets = [{ value: signingSecret }, ...replacedOf(webhook.secrets, services.now())];
    return {
      result: { hookId: webhook.hookId, signingSecret },
      writes: [secretsWrite(services, webhook, secrets.slice(0, WEBHOOK_LIMITS.signingSecrets))],
      record: { action: 'webhook secret rotated', detail: '' },
    };
  });
}

export function deleteSecret(services: Administration, of: Of): Promise<{ hookId: string }> {
  return changeWebhook(services, of, (webhook) => {
    const result = { hookId: webhook.hookId };
    if (webhook.secrets.length === 0) return { result, writes: [] };
    const record = { action: 'webhook secret deleted', detail: '' };
    return { result, writes: [secretsWrite(services, webhook, [])], record };
  });
}

/** What is replaced already goes when it was to go: a rotation that is repeated takes no time from a receiver. */
const replacedOf = (secrets: Secrets, now: number): Secrets =>
  secrets
    .map(({ value, expiresAt = now + WEBHOOK_LIMITS.replacedSecretMilliseconds }) => ({ value, expiresAt }))
    .filter(({ expiresAt }) => expiresAt > now);

/** On condition that nobody else changed them: a secret that was shown to somebody is never lost to a race. */
const secretsWrite = ({ now }: Administration, webhook: Webhook, secrets: Secrets) =>
  update(
    webhooks,
    webhook,
    {
      set: [
        ['secrets', secrets],
        ['updatedAt', now()],
      ],
    },
    { all: [PRESENT, { path: 'secrets', equals: webhook.secrets }] },
  );
