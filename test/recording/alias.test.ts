/** People give reporters the base address of the API, although their own paths are at the origin. */
import { expect, test } from 'vitest';
import { runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const SUITE = [suiteGroup('retail', ['cart.spec.ts > sums'])];

test('A reporter that got the base address of the API records the same run', async () => {
  const { api, projectId } = await service();
  const [atBase, atOrigin] = [
    await api.post('/runs/v1', runBody(projectId, SUITE)),
    await api.post('@/runs/v1', runBody(projectId, SUITE)),
  ];
  expect([atBase.status, atOrigin.status]).toEqual([200, 200]);
  expect(atBase.body.runId).toBe(atOrigin.body.runId);
  const { runId } = atBase.body;
  const claim = { runId, groupId: 'retail', spec: 'cart.spec.ts', machineId: 'machine-1' };
  expect((await api.post(`/runs/${runId}/pw/instances/v1`, claim)).status).toBe(200);
});
