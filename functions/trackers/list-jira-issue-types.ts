import { IssueTypeWire, inPath, presentTypes, trackerPageOf } from '#shared/issues/issue-wire.ts';
import { JiraQuery } from '#shared/issues/jira-wire.ts';
import { listIssueTypes } from '#shared/issues/read-tracker.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'listJiraIssueTypes',
  route: 'GET /integrations/jira/projects/{jiraProjectId}/issue-types',
  permission: 'trackers:read',
  access: { table: 'read', artifacts: 'none', trackers: 'read' },
  summary: 'List the issue types of a Jira project, for clients that support only Jira',
  path: { jiraProjectId: inPath.jiraProjectId },
  query: JiraQuery,
  response: trackerPageOf(IssueTypeWire),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path: { jiraProjectId: trackerProjectId }, query }, services) {
    const request = { ...caller, integrationId: query.jira_installation_id, kind: 'jira' as const, trackerProjectId };
    return presentTypes(await listIssueTypes({ ...services, ...trackers() }, request), query);
  },
});
