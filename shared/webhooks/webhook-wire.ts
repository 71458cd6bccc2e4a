/** §6 A webhook as callers see it, and what they may say of one. */
import * as z from 'zod';
import { text } from '../resources/names.ts';
import { RunEventName } from '../resources/run-event.ts';
import type { Webhook as Stored } from '../resources/webhook.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

const dateTime = z.string().meta({ format: 'date-time' });

export const Webhook = z
  .object({
    hookId: z.string(),
    projectId: z.string(),
    url: z.string(),
    headers: z.string().nullable().meta({ description: 'A JSON object as text, exactly as it was saved' }),
    hookEvents: z.array(RunEventName).meta({ description: 'Empty: all of them' }),
    label: z.string().nullable(),
    createdAt: dateTime,
    updatedAt: dateTime,
    signed: z.boolean().meta({ description: 'Whether deliveries are signed as Standard Webhooks has it' }),
    disabled: z
      .object({ at: dateTime, reason: z.enum(['gone', 'failing', 'byHand']) })
      .nullable()
      .meta({
        description: 'Nothing is sent since then: the receiver said 410, it failed for days, or somebody said so',
      }),
    failingSince: dateTime.nullable().meta({ description: 'Since when every attempt failed' }),
  })
  .meta({ id: 'Webhook' });

const shownOnce = z.string().meta({ description: 'Shown this once: keep it where the receiver can read it' });

export const CreatedWebhook = Webhook.extend({
  signingSecret: shownOnce.optional(),
}).meta({ id: 'CreatedWebhook' });

export const RotatedSecret = z.object({ hookId: z.string(), signingSecret: shownOnce }).meta({ id: 'RotatedSecret' });

export const OnlyId = z.object({ hookId: z.string() });

const url = text(WEBHOOK_LIMITS.webhookUrlCharacters)
  .min(1)
  .meta({ description: 'Where to send: an https URL on the internet, unless this service allows private receivers' });
const headers = z
  .union([text(WEBHOOK_LIMITS.webhookHeadersCharacters), z.record(z.string(), z.string())], {
    error: 'must be a JSON object as text, an object whose values are strings, or null',
  })
  .nullable()
  .meta({ description: 'Sent with every request, to carry a secret for example. Kept as text' });
const hookEvents = z
  .array(RunEventName)
  .overwrite((events) => [...new Set(events)])
  .meta({ description: 'Empty: all of them' });
const label = text(WEBHOOK_LIMITS.webhookLabelCharacters).min(1).nullable();

export const NewWebhook = z.object({
  url,
  headers: headers.default(null),
  hookEvents: hookEvents.default([]),
  label: label.default(null),
  signed: z.boolean().default(false).meta({ description: 'Sign deliveries; the answer shows the secret once' }),
});

export const WebhookChange = z
  .object({
    url: url.optional(),
    headers: headers.optional(),
    hookEvents: hookEvents.optional(),
    label: label.optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({ description: '`false` stops it; `true` starts it again where it was stopped, and sends a test event' }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'changes nothing. Send at least one of `url`, `headers`, `hookEvents`, `label` and `enabled`',
  });

export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const presentWebhook = (webhook: Stored): z.infer<typeof Webhook> => ({
  hookId: webhook.hookId,
  projectId: webhook.projectId,
  url: webhook.url,
  headers: webhook.headers,
  hookEvents: [...webhook.hookEvents],
  label: webhook.label,
  createdAt: iso(webhook.createdAt),
  updatedAt: iso(webhook.updatedAt),
  signed: webhook.secrets.length > 0,
  disabled: webhook.disabled ? { ...webhook.disabled, at: iso(webhook.disabled.at) } : null,
  failingSince: webhook.failingSince === undefined ? null : iso(webhook.failingSince),
});
