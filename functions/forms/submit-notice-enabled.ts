import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { NOTICE_KINDS, notices } from '#shared/model/notice.ts';
import { disableNotice, enableNotice } from '#shared/notices/change-notice.ts';
import { noticesHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNoticeEnabled',
  route: 'POST /{organizationId}/{projectId}/notices/{kind}/enabled',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [notices, auditRecords], artifacts: 'none' },
  path: { kind: z.enum(NOTICE_KINDS) },
  /** `of` tells the page which of its forms was refused. */
  fields: z.object({ of: z.enum(NOTICE_KINDS), enabled: z.enum(['true', 'false']) }),
  page: 'showNotices',
  async submit({ visit, path: { kind }, fields: { enabled } }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const request = { organizationId, projectId, actor, kind };
    await (enabled === 'true' ? enableNotice(services, request) : disableNotice(services, request));
    return redirect(noticesHref(visit));
  },
});
