import * as z from 'zod';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { AffectedExecution, executionsOfTestQuery } from '#shared/rules/affected-wire.ts';
import { listExecutionsOfTest } from '#shared/rules/list-executions.ts';

/** §4.4.12 */
export const handler = endpoint({
  operationId: 'listAffectedExecutions',
  route: 'GET /actions/tests/{signature}',
  permission: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the executions of one test that were matched by actions, newest first',
  query: z.object(executionsOfTestQuery),
  response: cursorPageOf(AffectedExecution),
  refuses: ['notFound'],
  limit: suggestSmallerPage,
  tool: 'none',
  async handle({ caller, path, query }, services) {
    return wrapOk(await listExecutionsOfTest(services, { ...caller, ...path, query }));
  },
});
