/**
 * Webhooks as tools show them. The values of custom headers are hidden, because they are often secrets, which a model
 * must not see.
 */
import type * as z from 'zod';
import type { DeliveryWire } from '#shared/webhooks/delivery-wire.ts';
import { headersOf } from '#shared/webhooks/header-rules.ts';
import type { WebhookWire } from '#shared/webhooks/webhook-wire.ts';

type Shown = z.output<typeof WebhookWire>;

const HIDDEN = '[hidden]';

/**
 * The URL of a receiver as tools show it. User names, passwords and query values are hidden, because a model must not
 * see secrets.
 */
function addressOf(text: string): string {
  if (!URL.canParse(text)) return HIDDEN;
  const url = new URL(text);
  for (const name of url.searchParams.keys()) url.searchParams.set(name, 'hidden');
  if (url.username !== '' || url.password !== '') Object.assign(url, { username: '', password: 'hidden' });
  return url.href;
}

const shorterWebhook = ({ url, headers, ...webhook }: Shown): object => ({
  ...webhook,
  url: addressOf(url),
  headers: headers === null ? null : Object.fromEntries(headersOf(headers).map(([name]) => [name, HIDDEN])),
});

export const oneWebhook = ({ data }: { readonly data: Shown }): object => shorterWebhook(data);
export const allWebhooks = ({ data }: { readonly data: readonly Shown[] }): object => ({
  webhooks: data.map(shorterWebhook),
});

/** A delivery without the request body, which only repeats the data of the run. */
const shorterDelivery = ({ body: _, ...delivery }: z.output<typeof DeliveryWire>): object => delivery;

export const oneDelivery = ({ data }: { readonly data: z.output<typeof DeliveryWire> }): object =>
  shorterDelivery(data);
export const shorterDeliveries = <
  Page extends { readonly data: readonly (z.output<typeof DeliveryWire> & { readonly cursor: string })[] },
>(
  page: Page,
) => ({ ...page, data: page.data.map(({ cursor, ...delivery }) => ({ ...shorterDelivery(delivery), cursor })) });
