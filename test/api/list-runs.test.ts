import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const TESTS = { 'cart.spec.ts > sums': passed(), 'cart.spec.ts > fails': failed() };

describe('GET /projects/{projectId}/runs', () => {
  test('lists runs newest first, each as `GET /runs/{runId}` returns it but with a cursor and without its spec files', async () => {
    const tenant = await service();
    const older = await recordRun(tenant, { retail: { tests: TESTS } }, { ciBuildId: 'build-1' });
    clock.advance(60_000);
    const open = { ...TESTS, 'pay.spec.ts > pays': undefined };
    const newer = await recordRun(tenant, { retail: { tests: open } }, { ciBuildId: 'build-2', tags: ['nightly'] });
    const { status, body } = await tenant.reader.get(`/projects/${tenant.projectId}/runs`);
    const whole = async (runId: string) => {
      const { specs, ...run } = (await tenant.reader.get(`/runs/${runId}`)).body.data;
      return { ...run, cursor: expect.stringMatching(/^[\w-]{20,}$/) };
    };
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'OK', has_more: false, data: [await whole(newer.runId), await whole(older.runId)] },
    });
    expect(body.data).toMatchObject([{ status: 'FAILING' }, { status: 'FAILED' }]);
  });

  test('lists only the runs of the requested project', async () => {
    const { services, organizationId, ...tenant } = await service();
    const other = await createProject(services, { organizationId, name: 'Other', actor: OPERATOR });
    const run = await recordRun(tenant, { retail: { tests: TESTS } });
    expect((await tenant.reader.get(`/projects/${tenant.projectId}/runs`)).body.data).toMatchObject([
      { runId: run.runId },
    ]);
    expect((await tenant.reader.get(`/projects/${other.projectId}/runs`)).body.data).toEqual([]);
  });

  test('returns 404 for an unknown project', async () => {
    const { reader } = await service();
    expect(await reader.get('/projects/zzzzzz/runs')).toMatchObject({
      status: 404,
      body: { error: 'Project not found' },
    });
  });
});
