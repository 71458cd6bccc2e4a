import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { clock, service } from '#test/harness/service.ts';

describe('GET /projects', () => {
  test('lists the organization’s projects, newest first, each as `GET /projects/{projectId}` returns it but with a cursor', async () => {
    const { reader, services, organizationId, projectId, tenant } = await service();
    await tenant('Neighbour');
    clock.advance(60_000);
    const newer = await createProject(services, {
      organizationId,
      name: 'Warehouse',
      defaultBranchName: 'trunk',
      actor: OPERATOR,
    });
    const { status, body } = await reader.get('/projects');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        has_more: false,
        data: [
          {
            projectId: newer.projectId,
            name: 'Warehouse',
            createdAt: '2026-11-02T10:01:00.000Z',
            inactivityTimeoutSeconds: 1800,
            failFast: false,
            defaultBranchName: 'trunk',
            retention: { resultsDays: 30, evidenceDays: 14, filesDays: 14 },
            tags: [],
            gateNewFailures: false,
            gateMissingTests: false,
            cursor: expect.stringMatching(/^[\w-]{20,}$/),
          },
          {
            projectId,
            name: 'Shop',
            createdAt: '2026-11-02T10:00:00.000Z',
            inactivityTimeoutSeconds: 1800,
            failFast: false,
            defaultBranchName: 'main',
            retention: { resultsDays: null, evidenceDays: null, filesDays: null },
            tags: [],
            gateNewFailures: false,
            gateMissingTests: false,
            cursor: expect.stringMatching(/^[\w-]{20,}$/),
          },
        ],
      },
    });
    for (const { cursor, ...listed } of body.data) {
      expect((await reader.get(`/projects/${listed.projectId}`)).body).toEqual({ status: 'OK', data: listed });
    }
  });

  test('Paging toward newer projects includes a project that was created after the first page was read', async () => {
    const { reader, services, organizationId } = await service();
    const first = (await reader.get('/projects?limit=1')).body.data[0];
    clock.advance(1);
    const { projectId } = await createProject(services, { organizationId, name: 'Warehouse', actor: OPERATOR });
    const newer = await reader.get(`/projects?ending_before=${first.cursor}`);
    expect(newer.body).toMatchObject({ has_more: false, data: [{ projectId }] });
  });
});
