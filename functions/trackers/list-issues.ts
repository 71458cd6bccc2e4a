import * as z from 'zod';
import { listOf, wrapData } from '#shared/engine/http/envelope.ts';
import { inPath, KnownIssueWire, presentIssue } from '#shared/issues/issue-wire.ts';
import { listIssues } from '#shared/issues/list-issues.ts';
import { ISSUE_STATES } from '#shared/model/issues/known-issue.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'listIssues',
  route: 'GET /projects/{projectId}/issues',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the issues that are linked to tests of a project, newest first',
  path: { projectId: inPath.projectId },
  query: z.object({
    signature: id.optional().meta({ description: 'Signature of a test. Default: all tests' }),
    state: z.array(z.enum(ISSUE_STATES)).optional().meta({ description: 'Default: all states' }),
  }),
  response: listOf(KnownIssueWire),
  refuses: ['notFound'],
  // Failure contexts and comparisons already name the issues of each test, so models do not need this operation.
  tool: 'none',
  async handle({ caller, query: { signature, state: states } }, services) {
    const issues = await listIssues(services, { ...caller, signature, states });
    return wrapData(issues.map(presentIssue));
  },
});
