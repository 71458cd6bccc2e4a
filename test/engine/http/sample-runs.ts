/** Runs that the tests of all operations end. */
import { startRun } from '#test/harness/recording.ts';
import { suiteGroup } from '#test/harness/recording-messages.ts';
import type { Tenant } from '#test/harness/service.ts';
import type { Sample } from './sample-shapes.ts';

const GITHUB = { githubRunId: '812', githubRunAttempt: '1' };
const SUITE = [suiteGroup('retail', ['tax.spec.ts > rounds'])];

/** Runs to delete, to cancel, and of a GitHub build. */
export async function sampleRuns(tenant: Tenant) {
  const [doomed, ending] = await Promise.all([
    startRun(tenant, SUITE, { ciBuildId: 'doomed' }),
    startRun(tenant, SUITE, { ciBuildId: 'ending' }),
    startRun(tenant, SUITE, { ciBuildId: 'github', ci: { params: GITHUB } }),
  ]);
  return { doomedRunId: doomed.runId, endingRunId: ending.runId };
}

export const RUN_SAMPLES: Readonly<Record<string, Sample>> = {
  cancelRun: { ids: ['endingRunId'], at: { runId: 'endingRunId' }, once: true },
  cancelGithubRun: {
    ids: [],
    body: () => ({ ...GITHUB, githubRunAttempt: 1 }),
    once: true,
    bad: { body: { githubRunId: '812' } },
  },
  resetRun: { ids: ['runId'], body: () => ({ machineId: ['m1'] }), bad: { body: { machineId: [] } } },
  deleteRun: { ids: ['doomedRunId'], at: { runId: 'doomedRunId' }, once: true },
  cancelOwnRun: {
    ids: [],
    body: ({ projectId, keys }) => ({ recordKey: keys.readWrite, projectId, ciBuildId: 'nobody' }),
    bad: { body: { projectId: 'zzzzzz' } },
  },
};
