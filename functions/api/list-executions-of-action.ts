import * as z from 'zod';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { AffectedExecution, executionsQuery } from '#shared/rules/affected-wire.ts';
import { listExecutionsOfRule } from '#shared/rules/list-executions.ts';

/** §4.4.12 */
export const handler = endpoint({
  operationId: 'listExecutionsOfAction',
  route: 'GET /actions/{actionId}/tests',
  permission: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the executions that an action matched, newest first',
  description: '`date_end` must not be before `date_start`.',
  query: z.object(executionsQuery),
  response: cursorPageOf(AffectedExecution),
  refuses: ['notFound'],
  limit: suggestSmallerPage,
  tool: 'none',
  async handle({ caller, path, query }, services) {
    return wrapOk(await listExecutionsOfRule(services, { ...caller, ...path, query }));
  },
});
