/** §6 Lists the deliveries of a webhook, newest first. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { makeRowReader, planReads } from '#shared/engine/http/page-source.ts';
import { type PageQuery, parseWalk, readPage } from '#shared/engine/http/pagination.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deliveries, getDeliveriesSpan, type Delivery as Stored } from '#shared/model/events/delivery.ts';
import type { Services } from '#shared/services.ts';
import { type DeliveryWire, presentDelivery } from './delivery-wire.ts';
import { findWebhook, type WebhookKey } from './find-webhook.ts';

export async function listDeliveries(
  services: Services,
  { query, ...key }: WebhookKey & { readonly query: PageQuery },
): Promise<{ has_more: boolean; data: (z.infer<typeof DeliveryWire> & { cursor: string })[] }> {
  const cursors = await services.cursors(key.organizationId, { list: `deliveries ${key.hookId}`, filters: {} });
  const walk = parseWalk(query, cursors);
  await findWebhook(services, key);
  const source = {
    span: getDeliveriesSpan(key),
    reads: planReads(query.limit, { isFiltered: false, most: PAGE_LIMITS.cursorPage.maximum }),
    read: makeRowReader(services.table, deliveries),
    select: (rows: readonly Stored[]) => rows,
  };
  const page = await readPage(source, query.limit, walk);
  const data = page.items.map(({ position, item }) => ({ ...presentDelivery(item), cursor: cursors.seal(position) }));
  return { has_more: page.hasMore, data };
}

/** Costs one query per webhook. */
export async function readLastDeliveries(
  { table }: WithTable,
  { organizationId, hookIds }: { readonly organizationId: string; readonly hookIds: readonly string[] },
): Promise<ReadonlyMap<string, Pick<z.infer<typeof DeliveryWire>, 'status' | 'createdAt'>>> {
  const entries = await mapConcurrently(hookIds, async (hookId) => {
    const span = getDeliveriesSpan({ organizationId, hookId });
    const { rows } = await table.query(deliveries, span, { limit: 1, newestFirst: true });
    return rows.map(({ item }) => [hookId, presentDelivery(item)] as const);
  });
  return new Map(entries.flat());
}
