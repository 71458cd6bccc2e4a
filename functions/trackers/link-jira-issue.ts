import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { LINKS_ISSUES } from '#shared/issues/access.ts';
import { inPath, KnownIssueWire, presentIssue } from '#shared/issues/issue-wire.ts';
import { LinkedJiraIssue, renameJiraMembers } from '#shared/issues/jira-wire.ts';
import { linkIssue } from '#shared/issues/link-issue.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = endpoint({
  operationId: 'linkJiraIssue',
  route: 'POST /projects/{projectId}/jira/issues/{issueKey}/link',
  permission: 'issues:write',
  access: LINKS_ISSUES,
  summary: 'Link an issue in Jira to a test, for clients that support only Jira',
  path: { projectId: inPath.projectId, issueKey: inPath.issueKey },
  body: LinkedJiraIssue,
  response: single(KnownIssueWire),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path: { issueKey }, body }, services) {
    const request = { ...caller, kind: 'jira' as const, input: { ...renameJiraMembers(body), issueKey } };
    const { issue } = await linkIssue({ ...services, ...trackers() }, request);
    return wrapData(presentIssue(issue));
  },
});
