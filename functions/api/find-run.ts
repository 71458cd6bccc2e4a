import * as z from 'zod';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenRunWithSpecs } from '#shared/mcp/shorter-runs.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { findRun } from '#shared/results/runs/find-run.ts';
import { FoundRun, findRunQuery } from '#shared/results/runs/find-run-wire.ts';
import { tooManySpecFiles } from '#shared/results/runs/read-run.ts';

/** This operation is not in the specification. Existing clients use it to re-run only failed tests. */
export const handler = endpoint({
  operationId: 'findRun',
  route: 'GET /runs/find',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'Find a run by CI build, or the latest completed run by branch or tags',
  description: 'Send `ciBuildId`, or `branch` and/or `tags[]`.',
  query: z.object(findRunQuery),
  response: single(FoundRun),
  limit: tooManySpecFiles,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to find the run of a CI build id, or the latest completed run of a branch. Use list_runs to find runs by status. Needs `projectId` from list_projects.',
    without: { pwLastRun: 'It is for test runners' },
    answer: shortenRunWithSpecs,
    next: 'get_context with `run_id` for the errors, get_run_comparison with `runId` for new failures.',
  },
  async handle({ caller, query }, services) {
    return wrapData(await findRun(services, { ...caller, query }));
  },
});
