/** The fields of the forms that create and change a webhook. They have the limits of the API. */
import * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import type { FormFields } from '#shared/engine/http/form.ts';
import type { Services } from '#shared/services.ts';
import { headersFromLines } from '#shared/webhooks/header-lines.ts';
import { headersFrom, urlFrom } from '#shared/webhooks/settings.ts';
import { NewWebhook } from '#shared/webhooks/webhook-wire.ts';

const { url, label, hookEvents } = NewWebhook.shape;

export const WEBHOOK_FIELDS = {
  url,
  /** One header on each line. */
  headers: z.string().default(''),
  /** Browsers send one value for one checked box. */
  hookEvents: z.preprocess((sent) => [sent ?? []].flat(), hookEvents),
  label: z
    .string()
    .default('')
    .transform((text) => text.trim() || null)
    .pipe(label.unwrap()),
};

/** The refusals of the URL and of the headers, each for its own field. */
export interface WebhookProblems {
  readonly url?: string | undefined;
  readonly headers?: string | undefined;
}

/** Asks the rules again which field of a refused form they refuse. */
export const webhookProblems = (
  policy: Pick<Services, 'privateReceivers'>,
  { url: sentUrl = '', headers = '' }: FormFields,
): WebhookProblems => ({
  url: problemIn(() => urlFrom(String(sentUrl), policy)),
  headers: problemIn(() => headersFrom(headersFromLines(String(headers)))),
});

function problemIn(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
