import { presentProjects, TrackerProjectWire, trackerPageOf } from '#shared/issues/issue-wire.ts';
import { JiraQuery } from '#shared/issues/jira-wire.ts';
import { listTrackerProjects } from '#shared/issues/read-tracker.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'listJiraProjects',
  route: 'GET /integrations/jira/projects',
  permission: 'trackers:read',
  access: { table: 'read', artifacts: 'none', trackers: 'read' },
  summary: 'List the projects of a connected Jira site, for clients that support only Jira',
  query: JiraQuery,
  response: trackerPageOf(TrackerProjectWire),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, query }, services) {
    const request = { ...caller, integrationId: query.jira_installation_id, kind: 'jira' as const, query };
    return presentProjects(await listTrackerProjects({ ...services, ...trackers() }, request), query);
  },
});
