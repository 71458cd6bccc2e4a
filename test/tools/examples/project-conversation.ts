/** Records examples of the operations that create, change, delete and restore projects. */
import * as z from 'zod';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const Created = z.object({ data: z.object({ projectId: z.string() }) });

export async function recordProjects(request: Send): Promise<void> {
  const created = await request('createProject', 'POST', '/projects', { name: 'Warehouse', tags: ['team: logistics'] });
  const path = `/projects/${Created.parse(created).data.projectId}`;
  await request('updateProject', 'PUT', path, {
    defaultBranchName: 'trunk',
    retention: { resultsDays: 90, filesDays: 14, evidenceDays: 'default' },
  });
  await request('deleteProject', 'DELETE', path);
  await request('restoreProject', 'PUT', `${path}/restore`);
}
