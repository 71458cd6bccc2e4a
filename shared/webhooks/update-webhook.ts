/** §6 A change of a webhook's settings, and of whether anything is sent to it at all. */
import type * as z from 'zod';
import { type Webhook as Stored, webhooks } from '../resources/webhook.ts';
import type { Administration, Services } from '../services.ts';
import type { Changes, Condition } from '../table/update.ts';
import { PRESENT, update, type Write } from '../table/writes.ts';
import { changeWebhook, type Of } from './change-webhook.ts';
import { getWebhook } from './find-webhook.ts';
import { headersFrom, urlFrom } from './settings.ts';
import { testEvent } from './test-event.ts';
import type { Webhook, WebhookChange } from './webhook-wire.ts';

type Wish = z.output<typeof WebhookChange>;
type Updating = Administration & Pick<Services, 'privateReceivers' | 'origin'>;

/** The webhook as it is then. */
export async function updateWebhook(
  services: Updating,
  { wish, ...of }: Of & { readonly wish: Wish },
): Promise<z.infer<typeof Webhook>> {
  const settings = settingsFrom(wish, services);
  await changeWebhook(services, of, (webhook) => {
    const edits = [...settingsEdits(webhook, settings), ...turnEdits(webhook, wish.enabled, services.now())];
    if (edits.length === 0) return { result: undefined, writes: [] };
    const names = edits.map(({ name }) => name);
    // Whoever enables it again wants to know whether it works now.
    const tested = names.includes('enabled') ? testEvent(services, { ...webhook, ...settings }).writes : [];
    return {
      result: undefined,
      writes: [editWrite(services, webhook, edits), ...tested],
      record: { action: 'webhook changed', detail: names.join(', ') },
    };
  });
  return getWebhook(services, of);
}

type Settings = Partial<Pick<Stored, 'url' | 'headers' | 'hookEvents' | 'label'>>;
const SETTINGS = ['url', 'headers', 'hookEvents', 'label'] as const;

function settingsFrom({ url, headers, hookEvents, label }: Wish, services: Updating): Settings {
  return {
    ...(url === undefined ? {} : { url: urlFrom(url, services) }),
    ...(headers === undefined ? {} : { headers: headersFrom(headers) }),
    ...(hookEvents === undefined ? {} : { hookEvents }),
    ...(label === undefined ? {} : { label }),
  };
}

interface Edit extends Changes {
  /** For the audit record. */
  readonly name: string;
  readonly when?: Condition;
}

/** What was held against the receiver. */
const FORGIVEN = { set: [['failures', 0]], remove: ['failingSince', 'pausedUntil'] } as const satisfies Changes;

/** Only what differs: a request that is repeated changes nothing, and sends no second test event. */
const settingsEdits = (webhook: Stored, settings: Settings): Edit[] =>
  SETTINGS.flatMap((name): Edit[] => {
    const value = settings[name];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(webhook[name])) return [];
    // Another receiver is not to wait for what the one before it did.
    const forgiven = name === 'url' ? FORGIVEN : { set: [], remove: [] };
    return [{ name, set: [[name, value], ...forgiven.set], remove: forgiven.remove }];
  });

function turnEdits({ disabled }: Stored, enabled: boolean | undefined, at: number): Edit[] {
  if (enabled === true && disabled) {
    const remove = ['disabled', ...FORGIVEN.remove];
    return [{ name: 'enabled', set: FORGIVEN.set, remove, when: { present: 'disabled' } }];
  }
  if (enabled === false && !disabled) {
    return [{ name: 'disabled', set: [['disabled', { at, reason: 'byHand' }]], when: { absent: 'disabled' } }];
  }
  return [];
}

/** DynamoDB takes each attribute once, however many edits name it. */
function editWrite({ now }: Updating, webhook: Stored, edits: readonly Edit[]): Write {
  const set = new Map([...edits.flatMap((edit) => edit.set ?? []), ['updatedAt', now()]]);
  const remove = new Set(edits.flatMap((edit) => edit.remove ?? []));
  const conditions = edits.flatMap(({ when }) => when ?? []);
  return update(webhooks, webhook, { set: [...set], remove: [...remove] }, { all: [PRESENT, ...conditions] });
}
