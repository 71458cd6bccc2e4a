import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { unlinkIssue } from '#shared/issues/link-issue.ts';
import { extractSignature, knownIssues } from '#shared/model/issues/known-issue.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { linkToIssues, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitUnlinkIssue',
  route: 'POST /{organizationId}/{projectId}/issues/{issueId}/unlink',
  needs: 'issues:write',
  access: { table: 'readWrite', writes: [knownIssues, auditRecords], artifacts: 'none' },
  /** The page that contains the button: the list of issues, or a page of the test. */
  fields: z.object({ from: z.enum(['list', 'test']).default('list') }),
  page: 'showIssues',
  async submit({ visit, caller, path: { issueId }, fields: { from } }, services) {
    await unlinkIssue(services, { ...caller, issueId });
    return redirect(from === 'list' ? linkToIssues(visit) : linkToTest(visit, extractSignature(issueId)));
  },
});
