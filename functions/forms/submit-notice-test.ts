import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { NOTICE_KINDS, notices } from '#shared/model/notice.ts';
import { noticeDeliveries } from '#shared/model/notice-delivery.ts';
import { outbox } from '#shared/model/outbox.ts';
import { testNotice } from '#shared/notices/change-notice.ts';
import { noticesHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNoticeTest',
  route: 'POST /{organizationId}/{projectId}/notices/{kind}/test',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [notices, noticeDeliveries, outbox, auditRecords], artifacts: 'none' },
  path: { kind: z.enum(NOTICE_KINDS) },
  /** `of` tells the page which of its forms was refused. */
  fields: z.object({ of: z.enum(NOTICE_KINDS) }),
  page: 'showNotices',
  async submit({ visit, path: { kind } }, services) {
    const { organizationId, projectId, person: actor } = visit;
    await testNotice(services, { organizationId, projectId, actor, kind });
    return redirect(noticesHref(visit));
  },
});
