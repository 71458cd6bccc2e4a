import * as z from 'zod';
import { inPath, presentProjects, TrackerProjectWire, trackerPage, trackerPageOf } from '#shared/issues/issue-wire.ts';
import { listTrackerProjects } from '#shared/issues/read-tracker.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'listTrackerProjects',
  route: 'GET /integrations/{integrationId}/projects',
  permission: 'trackers:read',
  access: { table: 'read', artifacts: 'none', trackers: 'read' },
  summary: 'List the projects, repositories or teams of a connected issue tracker',
  path: { integrationId: inPath.integrationId },
  query: z.object(trackerPage),
  response: trackerPageOf(TrackerProjectWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it to get the `trackerProjectId` that create_issue needs. Needs `integrationId` from list_integrations.',
    hints: { openWorldHint: true },
    next: 'list_issue_types with the `id` of a project, then create_issue.',
  },
  async handle({ caller, path, query }, services) {
    const request = { ...caller, ...path, query };
    return presentProjects(await listTrackerProjects({ ...services, ...trackers() }, request), query);
  },
});
