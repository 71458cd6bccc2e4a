import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { type Neighbour, RANGE, neighbours as recorded, SPEC } from './look-alikes.ts';

deliverEvents();

let both: ReturnType<typeof recorded> | undefined;
/**
 * All tests share both organizations, because the tests change nothing: their requests only read data or are refused.
 */
const neighbours = () => (both ??= recorded());

describe('Two organizations with the same project id and build id', () => {
  test('Organizations with the same project id and build id have different run ids, instance ids and test signatures', async () => {
    const [here, there] = await neighbours();
    expect(here.projectId).toBe(there.projectId);
    expect(here.run.runId).not.toBe(there.run.runId);
    expect(here.instanceId).not.toBe(there.instanceId);
    expect(here.signature).not.toBe(there.signature);
  });

  test('Organizations see only their own project, runs and results', async () => {
    const [here, there] = await neighbours();
    for (const [own, status] of [[here, 'PASSED'] as const, [there, 'FAILED'] as const]) {
      const { api, projectId, run, signature } = own;
      expect((await api.get(`/projects/${projectId}`)).body.data.name).toBe(own === here ? 'Shop' : 'Twin');
      const runs = (await api.get(`/projects/${projectId}/runs`)).body.data;
      expect(runs).toMatchObject([{ runId: run.runId, status }]);
      expect(
        (await api.get(`/runs/find${query(['projectId', projectId], ['ciBuildId', 'build-1'])}`)).body.data,
      ).toMatchObject({ runId: run.runId, status });
      expect((await api.get(`/test-results/${signature}${RANGE}`)).body.data).toMatchObject([{ runId: run.runId }]);
    }
  });

  test('Organizations get 404 or an empty history for each other’s ids and signatures', async () => {
    const [here, there] = await neighbours();
    for (const [own, other] of [[here, there] as const, [there, here] as const]) {
      expect((await own.api.get(`/runs/${other.run.runId}`)).status).toBe(404);
      expect((await own.api.get(`/instances/${other.instanceId}`)).status).toBe(404);
      const foreign = await own.api.get(`/test-results/${other.signature}${RANGE}`);
      const unknown = await own.api.get(`/test-results/${'0'.repeat(32)}${RANGE}`);
      expect(foreign).toMatchObject({ status: 200, body: { status: 'OK', has_more: false, data: [] } });
      expect(foreign.body).toEqual(unknown.body);
    }
  });

  test('Organizations cannot use each other’s cursors', async () => {
    const [here, there] = await neighbours();
    const lists = ({ projectId, signature, hookId }: Neighbour) => [
      `/webhooks/${hookId}/deliveries?limit=1`,
      '/projects?limit=1',
      `/projects/${projectId}/runs?limit=1`,
      `/test-results/${signature}${RANGE}`,
    ];
    const own = lists(here);
    const other = lists(there);
    for (const [index, path] of own.entries()) {
      const { cursor } = (await there.api.get(other[index] ?? '')).body.data[0];
      for (const direction of ['starting_after', 'ending_before']) {
        const answer = await here.api.get(`${path}&${direction}=${cursor}`);
        expect(answer).toMatchObject({
          status: 400,
          body: { status: 'FAILED', error: expect.stringContaining('cursor') },
        });
      }
    }
  });

  test('Organizations cannot record into each other’s runs', async () => {
    const [here, there] = await neighbours();
    const claim = await here.api.post(`@/runs/${there.run.runId}/pw/instances/v1`, { groupId: 'retail', spec: SPEC });
    expect(claim.status).toBe(404);
    const before = (await there.api.get(`/instances/${there.instanceId}`)).body;
    const record = Object.values(there.run.records)[0];
    expect((await here.api.put(`@/test-record/${record}`, { _t: 9, ...passed() })).status).toBe(404);
    expect((await there.api.get(`/instances/${there.instanceId}`)).body).toEqual(before);
  });

  test('Organizations see, change and test only their own webhooks', async () => {
    const [here, there] = await neighbours();
    for (const [own, other] of [[here, there] as const, [there, here] as const]) {
      const { api, projectId } = own;
      expect((await api.get(`/webhooks?projectId=${projectId}`)).body.data).toMatchObject([{ hookId: own.hookId }]);
      const before = (await other.api.get(`/webhooks/${other.hookId}`)).body;
      const delivery = (await other.api.get(`/webhooks/${other.hookId}/deliveries`)).body.data[0];
      const path = `/webhooks/${other.hookId}`;
      const answers = [
        await api.get(path),
        await api.put(path, { url: 'https://elsewhere.invalid' }),
        await api.send('DELETE', path),
        await api.get(`${path}/deliveries`),
        await api.send('POST', `${path}/test`),
        await api.send('POST', `${path}/secret`),
        await api.send('DELETE', `${path}/secret`),
        await api.send('POST', `${path}/deliveries/${delivery.deliveryId}/redeliver`),
        await api.send('POST', `/webhooks/${own.hookId}/deliveries/msg_0/redeliver`),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
      expect((await other.api.get(path)).body).toEqual(before);
      const after = (await other.api.get(`${path}/deliveries`)).body.data;
      expect(after).toEqual([delivery]);
    }
  });
});
