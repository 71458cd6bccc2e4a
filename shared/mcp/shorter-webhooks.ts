/** Webhooks as tools show them: without the values of custom headers, often secrets, which a model must not see. */
import type * as z from 'zod';
import type { DeliveryWire } from '#shared/webhooks/delivery-wire.ts';
import { parseHeaders } from '#shared/webhooks/header-rules.ts';
import type { WebhookWire } from '#shared/webhooks/webhook-wire.ts';

type ShownWebhook = z.output<typeof WebhookWire>;

const HIDDEN = '[hidden]';

/** Hides user names, passwords and query values. */
function hideUrlSecrets(text: string): string {
  if (!URL.canParse(text)) return HIDDEN;
  const url = new URL(text);
  for (const name of url.searchParams.keys()) url.searchParams.set(name, 'hidden');
  if (url.username !== '' || url.password !== '') Object.assign(url, { username: '', password: 'hidden' });
  return url.href;
}

const hideWebhookSecrets = ({ url, headers, ...webhook }: ShownWebhook): object => ({
  ...webhook,
  url: hideUrlSecrets(url),
  headers: headers === null ? null : Object.fromEntries(parseHeaders(headers).map(([name]) => [name, HIDDEN])),
});

export const shortenWebhook = ({ data }: { readonly data: ShownWebhook }): object => hideWebhookSecrets(data);
export const shortenWebhooks = ({ data }: { readonly data: readonly ShownWebhook[] }): object => ({
  webhooks: data.map(hideWebhookSecrets),
});

/** A delivery without the request body, which only repeats the data of the run. */
const dropRequestBody = ({ body: _, ...delivery }: z.output<typeof DeliveryWire>): object => delivery;

export const shortenDelivery = ({ data }: { readonly data: z.output<typeof DeliveryWire> }): object =>
  dropRequestBody(data);
export const shortenDeliveries = <
  Page extends { readonly data: readonly (z.output<typeof DeliveryWire> & { readonly cursor: string })[] },
>(
  page: Page,
) => ({ ...page, data: page.data.map(({ cursor, ...delivery }) => ({ ...dropRequestBody(delivery), cursor })) });
