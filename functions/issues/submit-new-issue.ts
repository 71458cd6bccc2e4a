import { redirect } from '#shared/engine/http/content.ts';
import { CREATES_ISSUES } from '#shared/issues/access.ts';
import { createIssue } from '#shared/issues/create-issue.ts';
import { NewIssueForm, toNewIssue } from '#shared/pages/issues/issue-form-wire.ts';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const trackers = connectTrackers();

export const handler = form({
  operationId: 'submitNewIssue',
  route: 'POST /{organizationId}/{projectId}/issues/new',
  needs: 'issues:write',
  access: CREATES_ISSUES,
  fields: NewIssueForm,
  page: 'showNewIssue',
  async submit({ visit, caller, fields }, services) {
    const input = toNewIssue(fields);
    await createIssue({ ...services, ...trackers() }, { ...caller, input });
    return redirect(linkToTestOfRun(visit, fields));
  },
});
