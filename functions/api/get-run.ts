import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenRunWithSpecs } from '#shared/mcp/shorter-runs.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { readRun, tooManySpecFiles } from '#shared/results/runs/read-run.ts';
import { WholeRun } from '#shared/results/runs/run-wire.ts';

/** §4.4.2 */
export const handler = endpoint({
  operationId: 'getRun',
  route: 'GET /runs/{runId}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'Get one run with its groups and spec files',
  response: single(WholeRun),
  limit: tooManySpecFiles,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to see which spec files of a run failed, were flaky or are still in progress. Passed ones are only counted. Needs `runId` from list_runs or find_run. For errors use get_context.',
    answer: shortenRunWithSpecs,
    next: 'get_context with `run_id`, or with `run_id` and `instance_id` for one spec file.',
  },
  async handle({ caller, path }, services) {
    return wrapData(await readRun(services, { ...caller, ...path }));
  },
});
