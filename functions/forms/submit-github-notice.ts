import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { notices } from '#shared/model/notice.ts';
import { saveNotice } from '#shared/notices/save-notice.ts';
import { noticesHref } from '#shared/pages/hrefs.ts';
import { GITHUB_FIELDS, githubEntered } from '#shared/pages/notice-wire.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const secrets = connectSecrets();

export const handler = form({
  operationId: 'submitGithubNotice',
  route: 'POST /{organizationId}/{projectId}/notices/save/github',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [notices, auditRecords], artifacts: 'none', secrets: 'write' },
  fields: z.object(GITHUB_FIELDS),
  page: 'showNotices',
  async submit({ visit, fields }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const settings = githubEntered(fields);
    await saveNotice({ ...services, secrets: secrets() }, { organizationId, projectId, actor, settings });
    return redirect(noticesHref(visit));
  },
});
