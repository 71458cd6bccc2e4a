/** §6 Rotates the signing secret. The response shows the new secret once. The old secret keeps signing for a day. */

import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, update } from '#shared/engine/table/writes.ts';
import { type Webhook, webhooks } from '#shared/model/events/webhook.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeWebhook, type WebhookRef } from './change-webhook.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { createSigningSecret } from './sign.ts';

export function rotateSecret(
  services: CoreServices,
  ref: WebhookRef,
): Promise<{ hookId: string; signingSecret: string }> {
  return changeWebhook(services, ref, (webhook) => {
    const signingSecret = createSigningSecret();
    const now = services.now();
    // The current secret is replaced. A secret that was replaced before keeps its expiry.
    const replacedSecrets = webhook.secrets
      .map(({ value, expiresAt = now + WEBHOOK_LIMITS.replacedSecretMilliseconds }) => ({ value, expiresAt }))
      .filter(({ expiresAt }) => expiresAt > now);
    const secrets = [{ value: signingSecret }, ...replacedSecrets];
    return {
      result: { hookId: webhook.hookId, signingSecret },
      writes: [planSecretsWrite(services, webhook, secrets.slice(0, WEBHOOK_LIMITS.signingSecrets))],
      inProject: webhook,
      record: { action: 'webhook secret rotated', detail: '' },
    };
  });
}

export function deleteSecret(services: CoreServices, ref: WebhookRef): Promise<{ hookId: string }> {
  return changeWebhook(services, ref, (webhook) => {
    const result = { hookId: webhook.hookId };
    if (webhook.secrets.length === 0) return { result };
    const record = { action: 'webhook secret deleted', detail: '' } as const;
    return { result, writes: [planSecretsWrite(services, webhook, [])], record };
  });
}

/** Fails after a concurrent rotation, because a secret that was shown must never be overwritten. */
const planSecretsWrite = ({ now }: CoreServices, webhook: Webhook, secrets: Webhook['secrets']) =>
  update(
    webhooks,
    webhook,
    { set: toAssignments({ secrets, updatedAt: now() }) },
    { all: [PRESENT, expectSameValues(webhook, 'secrets')] },
  );
