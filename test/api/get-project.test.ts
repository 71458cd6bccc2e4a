import { describe, expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';

describe('GET /projects/{projectId}', () => {
  test('returns the project, without the cursor that it has in the list of projects', async () => {
    const { reader, projectId } = await service();
    expect(await reader.get(`/projects/${projectId}`)).toMatchObject({ status: 200 });
    expect((await reader.get(`/projects/${projectId}`)).body).toEqual({
      status: 'OK',
      data: {
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
      },
    });
  });

  test('returns 404 for an unknown project', async () => {
    const { reader } = await service();
    expect(await reader.get('/projects/zzzzzz')).toMatchObject({
      status: 404,
      body: { status: 'FAILED', error: 'Project not found' },
    });
  });

  test('refuses a project id of more than 256 characters', async () => {
    const { reader } = await service();
    expect(await reader.get(`/projects/${'x'.repeat(257)}`)).toMatchObject({
      status: 400,
      body: { error: '`projectId` must have at most 256 characters' },
    });
  });
});
