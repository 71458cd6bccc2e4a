/** §6 Changes the settings of a webhook, and enables or disables it. */
import type * as z from 'zod';
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { PRESENT, update, type Write } from '#shared/engine/table/writes.ts';
import { type Webhook as Stored, webhooks } from '#shared/model/events/webhook.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { changeWebhook, type WebhookRef } from './change-webhook.ts';
import { getWebhook } from './find-webhook.ts';
import { checkHeaders, checkUrl } from './settings.ts';
import { planTestEvent } from './test-event.ts';
import type { WebhookChange, WebhookWire } from './webhook-wire.ts';

type WebhookInput = z.output<typeof WebhookChange>;
type UpdateServices = CoreServices & Pick<Services, 'privateReceivers' | 'origin'>;

export async function updateWebhook(
  services: UpdateServices,
  { input, ...ref }: WebhookRef & { readonly input: WebhookInput },
): Promise<z.infer<typeof WebhookWire>> {
  const settings = checkSettings(input, services);
  await changeWebhook(services, ref, (webhook) => {
    const edits = [
      ...planSettingsEdits(webhook, settings),
      ...planEnabledEdits(webhook, input.enabled, services.now()),
    ];
    if (edits.length === 0) return { result: undefined };
    const names = edits.map(({ name }) => name);
    const onlyDisables = names.every((name) => name === 'disabled');
    // Sends a test event, which immediately shows whether the re-enabled webhook works.
    const testWrites = names.includes('enabled') ? planTestEvent(services, { ...webhook, ...settings }).writes : [];
    return {
      result: undefined,
      writes: [planEditWrite(services, webhook, edits), ...testWrites],
      inProject: onlyDisables ? undefined : webhook,
      record: { action: 'webhook changed', detail: names.join(', ') },
    };
  });
  return getWebhook(services, ref);
}

const SETTINGS = ['url', 'headers', 'hookEvents', 'label'] as const;
type WebhookSettings = { -readonly [Name in (typeof SETTINGS)[number]]?: Stored[Name] };

function checkSettings({ url, headers, hookEvents, label }: WebhookInput, services: UpdateServices): WebhookSettings {
  const settings: WebhookSettings = {};
  if (url !== undefined) settings.url = checkUrl(url, services);
  if (headers !== undefined) settings.headers = checkHeaders(headers);
  if (hookEvents !== undefined) settings.hookEvents = hookEvents;
  if (label !== undefined) settings.label = label;
  return settings;
}

interface Edit extends Changes {
  /** The name of the changed setting, as the audit record shows it. */
  readonly name: string;
  readonly when?: Condition;
}

/** Closes the circuit breaker and clears the failure count. */
const HEALTH_RESET = { set: [['failures', 0]], remove: ['failingSince', 'pausedUntil'] } as const satisfies Changes;

/** Only of values that differ, so a repeated request changes nothing and sends no second test event. */
const planSettingsEdits = (webhook: Stored, settings: WebhookSettings): Edit[] =>
  SETTINGS.flatMap((name): Edit[] => {
    const value = settings[name];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(webhook[name])) return [];
    // The failures of the old receiver must not pause deliveries to the new receiver.
    const reset = name === 'url' ? HEALTH_RESET : { set: [], remove: [] };
    return [{ name, set: [[name, value], ...reset.set], remove: reset.remove }];
  });

function planEnabledEdits({ disabled }: Stored, shouldEnable: boolean | undefined, at: number): Edit[] {
  if (shouldEnable === true && disabled) {
    const remove = ['disabled', ...HEALTH_RESET.remove];
    return [{ name: 'enabled', set: HEALTH_RESET.set, remove, when: { present: 'disabled' } }];
  }
  if (shouldEnable === false && !disabled) {
    return [{ name: 'disabled', set: [['disabled', { at, reason: 'byHand' }]], when: { absent: 'disabled' } }];
  }
  return [];
}

/** Edits of the same attribute are merged, because DynamoDB accepts each attribute only once per update. */
function planEditWrite({ now }: UpdateServices, webhook: Stored, edits: readonly Edit[]): Write {
  const set = new Map([...edits.flatMap((edit) => edit.set ?? []), ['updatedAt', now()]]);
  const remove = new Set(edits.flatMap((edit) => edit.remove ?? []));
  const conditions = edits.flatMap(({ when }) => when ?? []);
  return update(webhooks, webhook, { set: [...set], remove: [...remove] }, { all: [PRESENT, ...conditions] });
}
