import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { issueQuarantines } from '#shared/model/issues/issue-automation.ts';
import { knownIssues } from '#shared/model/issues/known-issue.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { renamedTests } from '#shared/model/rules/renamed-test.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { moveRenamedTest } from '#shared/rules/move-renamed.ts';

export const handler = form({
  operationId: 'submitMovedTest',
  route: 'POST /{organizationId}/{projectId}/actions',
  needs: 'actions:write',
  access: {
    table: 'readWrite',
    writes: [rules, appliedRules, knownIssues, issueQuarantines, renamedTests, auditRecords],
    artifacts: 'none',
  },
  /** The signature of the test under its former name. */
  fields: z.object({ signature: id }),
  page: 'showRules',
  async submit({ visit, caller, fields: { signature } }, services) {
    await moveRenamedTest(services, { ...caller, signature });
    return redirect(linkToRules(visit));
  },
});
