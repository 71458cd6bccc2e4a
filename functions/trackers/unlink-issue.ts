import * as z from 'zod';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { inPath } from '#shared/issues/issue-wire.ts';
import { unlinkIssue } from '#shared/issues/link-issue.ts';
import { knownIssues } from '#shared/model/issues/known-issue.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'unlinkIssue',
  route: 'DELETE /projects/{projectId}/issues/{issueId}',
  permission: 'issues:write',
  access: { table: 'readWrite', writes: [knownIssues, auditRecords], artifacts: 'none' },
  summary: 'Remove the link between a test and an issue, but not the issue itself',
  path: { projectId: inPath.projectId, issueId: inPath.issueId },
  response: single(z.object({ issueId: z.string() })),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path: { issueId } }, services) {
    await unlinkIssue(services, { ...caller, issueId });
    return wrapData({ issueId });
  },
});
