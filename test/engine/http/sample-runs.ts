/** Sample runs for operations that end, reset or delete runs. */
import { sessionBody, startSession } from '#test/harness/orchestration.ts';
import { startRun } from '#test/harness/recording.ts';
import { suiteGroup } from '#test/harness/recording-messages.ts';
import type { Tenant } from '#test/harness/service.ts';
import type { Ids, Need, Sample } from './sample-shapes.ts';

const GITHUB = { githubRunId: '812', githubRunAttempt: '1' };
const SUITE = [suiteGroup('retail', ['tax.spec.ts > rounds'])];

/**
 * Creates a run to delete, a run to cancel, a run of a GitHub build, an orchestration session and a cached archive.
 * Creates only the objects that are needed.
 */
export async function sampleRuns(tenant: Tenant, isNeeded: (need: Need) => boolean): Promise<Partial<Ids>> {
  const start = async (need: Need, more: object) => (isNeeded(need) ? (await startRun(tenant, SUITE, more)).runId : '');
  const session = async () =>
    isNeeded('sessionId') ? (await startSession(tenant, SUITE, { ciBuildId: 'orchestrated', machineId: 'm1' })).id : '';
  const [doomedRunId, endingRunId, sessionId, cacheKey] = await Promise.all([
    start('doomedRunId', { ciBuildId: 'doomed' }),
    start('endingRunId', { ciBuildId: 'ending' }),
    session(),
    isNeeded('cacheKey') ? cached(tenant) : '',
    start('githubRunId', { ciBuildId: 'github', ci: { params: GITHUB } }),
  ]);
  return { doomedRunId, endingRunId, sessionId, cacheKey };
}

async function cached({ api }: Tenant): Promise<string> {
  const { cacheKey, uploadUrl } = (await api.post('@/cache/upload', { id: 'shop' })).body;
  await fetch(uploadUrl, { method: 'PUT', body: 'archive' });
  return cacheKey;
}

export const RUN_SAMPLES: Readonly<Record<string, Sample>> = {
  cancelRun: { ids: ['endingRunId'], at: { runId: 'endingRunId' }, once: true },
  cancelGithubRun: {
    ids: [],
    needs: ['githubRunId'],
    body: () => ({ ...GITHUB, githubRunAttempt: 1 }),
    once: true,
    bad: { body: { githubRunId: '812' } },
  },
  // `m2` has no spec files. `m1` is not reset, because other sample requests record its spec files at the same time.
  resetRun: { ids: ['runId'], body: () => ({ machineId: ['m2'] }), bad: { body: { machineId: [] } } },
  deleteRunArtifacts: { ids: ['endingRunId'], at: { runId: 'endingRunId' } },
  deleteRun: { ids: ['doomedRunId'], at: { runId: 'doomedRunId' }, once: true },
  startSession: {
    ids: ['projectId'],
    needs: ['sessionId'],
    body: ({ projectId }) => sessionBody(projectId, SUITE, { ciBuildId: 'orchestrated' }),
    bad: { body: { projectId: 'zzzzzz' } },
  },
  takeTask: { ids: ['sessionId'], body: () => ({ machineId: 'm1' }), bad: { body: { machineId: 7 } } },
  resetOwnRun: { ids: ['runId'], body: () => ({ machineId: 'm2' }), bad: { body: { machineId: [] } } },
  storeCache: {
    ids: [],
    body: ({ keys }) => ({ recordKey: keys.readWrite, id: 'shop' }),
    bad: { body: { id: 7 } },
  },
  findCache: {
    ids: [],
    needs: ['cacheKey'],
    body: ({ keys }) => ({ recordKey: keys.readWrite, id: 'shop' }),
    bad: { body: { id: 7 } },
  },
  readCache: {
    ids: ['cacheKey'],
    body: ({ keys, cacheKey }) => ({ recordKey: keys.readWrite, cacheKey }),
    bad: { body: {} },
  },
  cancelOwnRun: {
    ids: [],
    body: ({ projectId, keys }) => ({ recordKey: keys.readWrite, projectId, ciBuildId: 'nobody' }),
    bad: { body: { projectId: 'zzzzzz' } },
  },
};
