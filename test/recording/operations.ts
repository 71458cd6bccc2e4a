/** The recording operations on a claimed spec file, for tests of refused requests. */
import { expect } from 'vitest';
import type { Client } from '#test/harness/client.ts';
import { type Claimed, claim, firstMessage, startRun } from '#test/harness/recording.ts';
import { sendUpload, uploadBody } from '#test/harness/recording-batch.ts';
import { passed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';

export type Setting = TestService & Tenant;

export const DONE = 'cart.spec.ts > done';
export const OPEN = 'cart.spec.ts > open';
export const NEW = 'cart.spec.ts > new';
export const SUITE = [suiteGroup('retail', [DONE, OPEN, NEW, 'other.spec.ts > test'])];
export const NO_SUCH_RECORD = '0'.repeat(44);
export const NO_SUCH_INSTANCE = '0'.repeat(32);

/** Recording operations with valid bodies. Those on a test record use a record id that does not exist. */
export const operations = ({ projectId, keys }: Setting, { runId, ...claimed }: Claimed) =>
  ({
    'create a run': (api: Client) => api.post('@/runs/v1', runBody(projectId, SUITE, { ciBuildId: 'x' })),
    claim: (api: Client) => api.post(`@/runs/${runId}/pw/instances/v1`, { groupId: 'retail', spec: 'other.spec.ts' }),
    'create a test record': (api: Client) =>
      api.post('@/test-record', firstMessage({ runId, ...claimed }, DONE, passed())),
    'update a test record': (api: Client) => api.put(`@/test-record/${NO_SUCH_RECORD}`, { _t: 1, ...passed() }),
    'announce a file of a test': (api: Client) =>
      api.post(`@/artifacts/test-record/${NO_SUCH_RECORD}`, { name: 'a', artifactId: 'a', contentType: 'a/b' }),
    'announce a file of a spec file': (api: Client) =>
      api.post(`@/artifacts/instance/${claimed.instanceId}`, { name: 'stdout', type: 'stdout', contentType: 'a/b' }),
    'upload a batch': (api: Client) => sendUpload({ api }, uploadBody({ projectId, keys }, SUITE, [])),
  }) as const;

export async function claimedRun(setting: Setting): Promise<Claimed> {
  const run = await startRun(setting, SUITE);
  return claim(setting, run, 'cart.spec.ts');
}

/** The expected answer of a refusal with this code. Reporters need these properties to show the error. */
export const refusal = (code: string) => ({
  status: 422,
  body: {
    status: 'FAILED',
    code,
    error: expect.stringMatching(/\. Start a new run|\. Send the full/),
    message: expect.any(String),
    errors: [expect.any(String)],
  },
});
