import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { NOTICE_KINDS, notices } from '#shared/model/notice.ts';
import { deleteNotice } from '#shared/notices/change-notice.ts';
import { noticesHref } from '#shared/pages/hrefs.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const secrets = connectSecrets();

export const handler = form({
  operationId: 'submitDeleteNotice',
  route: 'POST /{organizationId}/{projectId}/notices/{kind}/delete',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [notices, auditRecords], artifacts: 'none', secrets: 'write' },
  path: { kind: z.enum(NOTICE_KINDS) },
  fields: z.object({}),
  page: 'showDeleteNotice',
  async submit({ visit, path: { kind } }, services) {
    const { organizationId, projectId, person: actor } = visit;
    await deleteNotice({ ...services, secrets: secrets() }, { organizationId, projectId, actor, kind });
    return redirect(noticesHref(visit));
  },
});
