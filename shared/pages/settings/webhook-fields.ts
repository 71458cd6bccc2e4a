/** The fields of the webhook forms, with the limits of the API. */
import * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import type { FormFields } from '#shared/engine/http/form.ts';
import type { Services } from '#shared/services.ts';
import { parseHeaderLines } from '#shared/webhooks/header-lines.ts';
import { checkHeaders, checkUrl } from '#shared/webhooks/settings.ts';
import { NewWebhook } from '#shared/webhooks/webhook-wire.ts';

const { url, label, hookEvents } = NewWebhook.shape;

export const WEBHOOK_FIELDS = {
  url,
  /** One header per line. */
  headers: z.string().default(''),
  /** If only one checkbox is checked, browsers send a single value instead of a list. */
  hookEvents: z.preprocess((value) => [value ?? []].flat(), hookEvents),
  label: z
    .string()
    .default('')
    .transform((text) => text.trim() || null)
    .pipe(label.unwrap()),
};

export interface WebhookProblems {
  readonly url?: string | undefined;
  readonly headers?: string | undefined;
}

/** Validates the values of a refused form again, to find out which field is invalid. */
export const findWebhookProblems = (
  policy: Pick<Services, 'privateReceivers'>,
  { url: sentUrl = '', headers = '' }: FormFields,
): WebhookProblems => ({
  url: findProblem(() => checkUrl(String(sentUrl), policy)),
  headers: findProblem(() => checkHeaders(parseHeaderLines(String(headers)))),
});

function findProblem(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
