import * as z from 'zod';
import {
  IssueTypeWire,
  inPath,
  presentTypes,
  trackerId,
  trackerPage,
  trackerPageOf,
} from '#shared/issues/issue-wire.ts';
import { listIssueTypes } from '#shared/issues/read-tracker.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'listIssueTypes',
  route: 'GET /integrations/{integrationId}/issue-types',
  permission: 'trackers:read',
  access: { table: 'read', artifacts: 'none', trackers: 'read' },
  summary: 'List the issue types of a project of a connected issue tracker',
  path: { integrationId: inPath.integrationId },
  query: z.object({
    trackerProjectId: trackerId.meta({ description: 'Id of the tracker’s project, repository or team' }),
    ...trackerPage,
  }),
  response: trackerPageOf(IssueTypeWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it to get the `issueTypeId` that create_issue needs for Jira. Needs `trackerProjectId` from list_tracker_projects.',
    hints: { openWorldHint: true },
    next: 'create_issue.',
  },
  async handle({ caller, path, query }, services) {
    const request = { ...caller, ...path, trackerProjectId: query.trackerProjectId };
    return presentTypes(await listIssueTypes({ ...services, ...trackers() }, request), query);
  },
});
