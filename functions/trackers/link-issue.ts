import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { LINKS_ISSUES } from '#shared/issues/access.ts';
import { inPath, KnownIssueWire, LinkedIssue, presentIssue } from '#shared/issues/issue-wire.ts';
import { linkIssue } from '#shared/issues/link-issue.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { NOT_FOR_AGENTS } from '#shared/results/executions/target-wire.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'linkIssue',
  route: 'POST /projects/{projectId}/issues/link',
  permission: 'issues:write',
  access: LINKS_ISSUES,
  summary: 'Link an existing issue in a connected issue tracker to a test',
  description:
    'Adds a comment about the failure to the issue. Linking an issue again adds no comment, unless the request has a `comment`.',
  path: { projectId: inPath.projectId },
  body: LinkedIssue,
  response: single(KnownIssueWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it if an issue for the failure exists in the tracker. Needs `instanceId` and `testId` from get_context, and `integrationId` from list_integrations.',
    hints: { destructiveHint: false, idempotentHint: false, openWorldHint: true },
    without: NOT_FOR_AGENTS,
  },
  async handle({ caller, body: input }, services) {
    const { issue } = await linkIssue({ ...services, ...trackers() }, { ...caller, input });
    return wrapData(presentIssue(issue));
  },
});
