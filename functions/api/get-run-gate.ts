import * as z from 'zod';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { GateVerdict, gateQuery } from '#shared/gate/gate-wire.ts';
import { judgeRun } from '#shared/gate/judge-run.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { requireOwnRun } from '#shared/recording/own-build.ts';

/** This operation is not in the specification. `rundown gate` asks it. */
export const handler = endpoint({
  operationId: 'getRunGate',
  route: 'GET /runs/{runId}/gate',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Judge a run: whether it has new failures or missing tests',
  description:
    'Compares a run with the last complete run of the default branch with the same groups. A run that did not complete fails.',
  query: z.object(gateQuery),
  response: single(GateVerdict),
  refuses: ['notFound'],
  tool: 'none',
  ofBuild: requireOwnRun,
  async handle({ caller, path, query }, services) {
    return wrapData(await judgeRun(services, { ...caller, ...path, query }));
  },
});
