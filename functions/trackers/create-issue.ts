import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { CREATES_ISSUES } from '#shared/issues/access.ts';
import { createIssue } from '#shared/issues/create-issue.ts';
import { inPath, KnownIssueWire, NewIssue, presentIssue } from '#shared/issues/issue-wire.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { NOT_FOR_AGENTS } from '#shared/results/executions/target-wire.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'createIssue',
  route: 'POST /projects/{projectId}/issues',
  permission: 'issues:write',
  access: CREATES_ISSUES,
  summary: 'Create an issue for a failed test, in a connected issue tracker',
  description:
    'The issue contains the error, the place of the failure and links. A failure has at most one open issue: if it has one already, the response is that issue. If several tests match, the request is refused with `code: "ambiguous_target"` and `candidates`.',
  path: { projectId: inPath.projectId },
  body: NewIssue,
  response: single(KnownIssueWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it only when a person asked for an issue. Needs `instanceId` and `testId` from get_context, `integrationId` from list_integrations and `trackerProjectId` from list_tracker_projects; Jira also needs `issueTypeId`.',
    hints: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
    without: NOT_FOR_AGENTS,
  },
  async handle({ caller, body: input }, services) {
    const { issue } = await createIssue({ ...services, ...trackers() }, { ...caller, input });
    return wrapData(presentIssue(issue));
  },
});
