/** §6 Webhooks in the API: response and request schemas. */
import * as z from 'zod';
import { dateTime, formatIsoTime } from '#shared/engine/http/date-time.ts';
import { RunEventName } from '#shared/model/events/run-event.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import { NAME, NAME_PROBLEM, text } from '#shared/model/names.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { describeHeaders } from './header-rules.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

export const WebhookWire = z
  .object({
    hookId: z.string(),
    projectId: z.string(),
    url: z.string(),
    headers: z.string().nullable().meta({ description: 'A JSON object as text, exactly as saved' }),
    hookEvents: z.array(RunEventName).meta({ description: 'Subscribed events. Empty means all' }),
    label: z.string().nullable(),
    createdAt: dateTime,
    updatedAt: dateTime,
    signed: z.boolean().meta({ description: 'Whether deliveries carry Standard Webhooks signatures' }),
    disabled: z
      .object({ at: dateTime, reason: z.enum(['gone', 'failing', 'byHand']) })
      .nullable()
      .meta({
        description:
          'Why no deliveries are sent. `gone`: the receiver answered 410. `failing`: it failed for days. `byHand`: somebody disabled the webhook',
      }),
    failingSince: dateTime.nullable().meta({ description: 'Time of the first failure since the last success' }),
  })
  .meta({ id: 'Webhook' });

const shownOnce = z
  .string()
  .meta({ description: 'The signing secret, shown only once. Store it where the receiver can read it' });

export const CreatedWebhook = WebhookWire.extend({
  signingSecret: shownOnce.optional(),
}).meta({ id: 'CreatedWebhook' });

export const RotatedSecret = z.object({ hookId: z.string(), signingSecret: shownOnce }).meta({ id: 'RotatedSecret' });

export const OnlyId = z.object({ hookId: z.string() });

const url = text(SENDING_LIMITS.urlCharacters)
  .min(1)
  .meta({ description: 'The destination: a public https URL, unless this service allows private receivers' });
const headersAsText = text(WEBHOOK_LIMITS.webhookHeadersCharacters).meta({
  contentMediaType: 'application/json',
  description: 'A JSON object as text, with the same names and values as the object form',
});
const headers = z
  .union([headersAsText, z.record(z.string(), z.string()).meta(describeHeaders())], {
    error: 'must be a JSON object as text, an object with string values, or null',
  })
  .nullable()
  .meta({
    description:
      'Custom headers of every request, for example to send a secret. Responses return them as text. Names are unique regardless of case; reserved names are refused',
  });
const hookEvents = z
  .array(RunEventName)
  .overwrite((events) => [...new Set(events)])
  .meta({ description: 'Subscribed events. Empty means all' });
const label = text(WEBHOOK_LIMITS.webhookLabelCharacters).min(1).regex(NAME, { error: NAME_PROBLEM }).nullable();

export const NewWebhook = z.strictObject({
  url,
  headers: headers.default(null),
  hookEvents: hookEvents.default([]),
  label: label.default(null),
  signed: z.boolean().default(false).meta({ description: 'Sign deliveries. The response shows the secret once' }),
});

export const WebhookChange = z
  .strictObject({
    url: url.optional(),
    headers: headers.optional(),
    hookEvents: hookEvents.optional(),
    label: label.optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({ description: '`false` disables the webhook. `true` enables a disabled one and sends a test event' }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'changes nothing. Send at least one of `url`, `headers`, `hookEvents`, `label` and `enabled`',
  });

export const presentWebhook = (webhook: Webhook): z.infer<typeof WebhookWire> => ({
  hookId: webhook.hookId,
  projectId: webhook.projectId,
  url: webhook.url,
  headers: webhook.headers,
  hookEvents: [...webhook.hookEvents],
  label: webhook.label,
  createdAt: formatIsoTime(webhook.createdAt),
  updatedAt: formatIsoTime(webhook.updatedAt),
  signed: webhook.secrets.length > 0,
  disabled: webhook.disabled ? { ...webhook.disabled, at: formatIsoTime(webhook.disabled.at) } : null,
  failingSince: webhook.failingSince === undefined ? null : formatIsoTime(webhook.failingSince),
});
