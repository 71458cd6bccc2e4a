import * as z from 'zod';
import { ok, single } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { findRun } from '#shared/results/find-run.ts';
import { FoundRun, findRunQuery } from '#shared/results/find-run-wire.ts';
import { tooManySpecFiles } from '#shared/results/read-run.ts';

/** The specification does not name this operation. Existing clients use it to re-run failed tests. */
export const handler = endpoint({
  operationId: 'findRun',
  route: 'GET /runs/find',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'Find a run by CI build, or the latest completed run by branch or tags',
  description: 'Needs `ciBuildId`, or `branch` and/or `tags[]`.',
  query: z.object(findRunQuery),
  response: single(FoundRun),
  limit: tooManySpecFiles,
  refuses: ['notFound'],
  async handle({ actor: { organizationId }, query }, services) {
    return ok({ data: await findRun(services, { organizationId, query }) });
  },
});
