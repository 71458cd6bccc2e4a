import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { CREATES_ISSUES } from '#shared/issues/access.ts';
import { createIssue } from '#shared/issues/create-issue.ts';
import { inPath, KnownIssueWire, presentIssue } from '#shared/issues/issue-wire.ts';
import { NewJiraIssue, renameJiraMembers } from '#shared/issues/jira-wire.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'createJiraIssue',
  route: 'POST /projects/{projectId}/jira/issues',
  permission: 'issues:write',
  access: CREATES_ISSUES,
  summary: 'Create an issue in Jira for a failed test, for clients that support only Jira',
  path: { projectId: inPath.projectId },
  body: NewJiraIssue,
  response: single(KnownIssueWire),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, body }, services) {
    const request = { ...caller, kind: 'jira' as const, input: renameJiraMembers(body) };
    const { issue } = await createIssue({ ...services, ...trackers() }, request);
    return wrapData(presentIssue(issue));
  },
});
