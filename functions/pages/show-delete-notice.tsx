import * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { NOTICE_KINDS } from '#shared/model/notice.ts';
import { listNotices } from '#shared/notices/find-notices.ts';
import { noticesHref } from '#shared/pages/hrefs.ts';
import { NOTICE_NAMES, noticeBreadcrumbs } from '#shared/pages/notices-page.tsx';
import { QuestionPage } from '#shared/pages/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showDeleteNotice',
  route: 'GET /{organizationId}/{projectId}/notices/{kind}/delete',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  path: { kind: z.enum(NOTICE_KINDS) },
  async show({ visit, path: { kind }, refused }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const listed = await listNotices(services, { organizationId, projectId, actor });
    const { notice } = listed.find((one) => one.notice.kind === kind) ?? refuse(notFound('Notice'));
    const name = NOTICE_NAMES[notice.kind];
    return {
      title: `Delete the notice to ${name}`,
      tab: 'Settings',
      breadcrumbs: noticeBreadcrumbs(visit, 'Delete'),
      body: (
        <QuestionPage
          question={`Delete the notice to ${name}?`}
          action={noticesHref(visit, notice.kind, 'delete')}
          of="submitDeleteNotice"
          refused={refused}
          yes="Delete the notice"
          no={{ name: 'Keep it', href: noticesHref(visit) }}
        >
          Its credential is deleted, too. Nothing more is written, and existing comments stay.
        </QuestionPage>
      ),
    };
  },
});
