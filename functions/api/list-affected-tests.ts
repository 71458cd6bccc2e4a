import * as z from 'zod';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { AffectedTestsPage, affectedTestsQuery } from '#shared/rules/affected-wire.ts';
import { listAffectedTests } from '#shared/rules/list-affected-tests.ts';

/** §4.4.12 */
export const handler = endpoint({
  operationId: 'listAffectedTests',
  route: 'GET /actions/tests',
  permission: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the tests that actions matched',
  description:
    'Counts executions in ended runs only. `date_end` must not be before `date_start`, and must be at most 400 days after it.',
  query: z.object(affectedTestsQuery),
  response: single(AffectedTestsPage),
  refuses: ['notFound'],
  limit: suggestSmallerPage,
  tool: {
    description:
      'Use it to see which tests are skipped, quarantined or tagged by rules, and how those tests end. Needs `projectId` from list_projects.',
    rangeDays: 30,
    defaults: { limit: 10 },
    answer: ({ data }) => data,
    next: 'list_actions with `projectId` for the rules.',
  },
  async handle({ caller, query }, services) {
    return wrapData(await listAffectedTests(services, { ...caller, query }));
  },
});
