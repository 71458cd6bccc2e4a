/** Tests paths that published reporters call only in unusual situations. */
import { expect, test } from 'vitest';
import { runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const SUITE = [suiteGroup('retail', ['cart.spec.ts > sums'])];

test('A reporter that uses the base URL of the API records to the same run as a reporter that uses the origin', async () => {
  const { api, projectId } = await service();
  const atBase = await api.post('/runs/v1', runBody(projectId, SUITE));
  const atOrigin = await api.post('@/runs/v1', runBody(projectId, SUITE));
  expect([atBase.status, atOrigin.status]).toEqual([200, 200]);
  expect(atBase.body.runId).toBe(atOrigin.body.runId);
  const { runId } = atBase.body;
  const claim = { runId, groupId: 'retail', spec: 'cart.spec.ts', machineId: 'machine-1' };
  expect((await api.post(`/runs/${runId}/pw/instances/v1`, claim)).status).toBe(200);
});

test('A reporter that requests an upload URL for its own debug log gets none', async () => {
  const { api } = await service();
  const { status, body } = await api.post('@/runs/debug-logs', { type: 'pw-debug', runId: 'machine-1' });
  expect({ status, body }).toEqual({ status: 200, body: { uploadUrl: null, readUrl: null } });
});
