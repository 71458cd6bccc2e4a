/** Records examples of the operations that `pwc-p` and `currents cache` use. */
import * as z from 'zod';
import * as sent from './sent.ts';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const Session = z.object({ id: z.string(), runId: z.string(), machineId: z.string() });

export async function recordOrchestration(request: Send, of: { projectId: string; recordKey: string }): Promise<void> {
  const { fullTestSuite, commit } = sent.run(of);
  const suite = fullTestSuite.map(({ name, tests }) => ({
    name,
    tests: tests.map(({ testId, spec }) => ({ testId, spec })),
  }));
  const body = {
    projectId: of.projectId,
    ciBuildId: 'build-1060',
    machineId: 'ci-machine-1',
    suite,
    commit,
    globalWorkers: 4,
    globalBatchSize: 'auto',
  };
  const { id, ...machine } = Session.parse(await request('startSession', 'POST', '@/orchestration-v1', body));
  await request('takeTask', 'POST', `@/orchestration-v1/${id}/task`, machine);
  await recordCache(request, of);
  await request('resetOwnRun', 'PUT', `@/runs/v1/${machine.runId}/reset`, { ...machine, isBatchedOr8n: true });
}

async function recordCache(request: Send, { recordKey }: { recordKey: string }): Promise<void> {
  const body = { recordKey, id: 'last-run', config: { matrixIndex: 1, matrixTotal: 4 } };
  const { cacheKey, uploadUrl } = Stored.parse(await request('storeCache', 'POST', '@/cache/upload', body));
  await fetch(uploadUrl, { method: 'PUT', body: 'archive' });
  await request('findCache', 'POST', '@/cache/meta', body);
  await request('readCache', 'POST', '@/cache/v2/download', { recordKey, cacheKey });
}

const Stored = z.object({ cacheKey: z.string(), uploadUrl: z.string() });
