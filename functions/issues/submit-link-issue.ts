import { redirect } from '#shared/engine/http/content.ts';
import { LINKS_ISSUES } from '#shared/issues/access.ts';
import { linkIssue } from '#shared/issues/link-issue.ts';
import { LinkForm, toIssueLink } from '#shared/pages/issues/issue-form-wire.ts';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const trackers = connectTrackers();

export const handler = form({
  operationId: 'submitLinkIssue',
  route: 'POST /{organizationId}/{projectId}/issues/link',
  needs: 'issues:write',
  access: LINKS_ISSUES,
  fields: LinkForm,
  page: 'showLinkIssue',
  async submit({ visit, caller, fields }, services) {
    const input = toIssueLink(fields);
    await linkIssue({ ...services, ...trackers() }, { ...caller, input });
    return redirect(linkToTestOfRun(visit, fields));
  },
});
