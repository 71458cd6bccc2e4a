import * as z from 'zod';
import { listOf, wrapData } from '#shared/engine/http/envelope.ts';
import { projectId } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listShares } from '#shared/shares/list-shares.ts';
import { presentShare, ShareWire } from '#shared/shares/share-wire.ts';

/** §5.3 */
export const handler = endpoint({
  operationId: 'listShares',
  route: 'GET /shares',
  permission: 'shares:write',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the shares of a project that have neither expired nor been revoked, newest first',
  query: z.object({ projectId }),
  response: listOf(ShareWire),
  refuses: ['notFound'],
  tool: 'none',
  async handle({ caller }, services) {
    const openShares = await listShares(services, caller);
    return wrapData(openShares.map(presentShare));
  },
});
