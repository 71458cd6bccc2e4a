import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { FoundRun, findRun, findRunQuery } from '#shared/results/find-run.ts';

/** Not in the specification; existing clients use it to re-run what failed. */
export const handler = endpoint({
  operationId: 'findRun',
  route: 'GET /runs/find',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'The run of a CI build, or the latest completed run of a branch or with some tags',
  query: z.object(findRunQuery),
  response: single(FoundRun),
  async handle({ caller: { organizationId }, query }, services) {
    return ok({ data: await findRun(services, { organizationId, query }) });
  },
});
