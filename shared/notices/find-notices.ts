/** Reads the notices of a project, each with its newest delivery. Their credentials are never read. */
import { notFound } from '#shared/engine/errors.ts';
import { type Notice, noticeKeys, notices } from '#shared/model/notice.ts';
import { type NoticeDelivery, noticeDeliveries, noticeDeliveriesSpan } from '#shared/model/notice-delivery.ts';
import { projects } from '#shared/model/project.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import type { NoticeRequest } from './save-notice.ts';

export interface ListedNotice {
  readonly notice: Notice;
  /** The newest delivery, `undefined` before the first one. */
  readonly last: NoticeDelivery | undefined;
}

/** Throws 404 for a project of another organization. */
export async function listNotices(services: CoreServices, request: NoticeRequest): Promise<ListedNotice[]> {
  const { table } = services;
  await authorizeRead(services, request, 'projects:write');
  if (!(await table.get(projects, request))) throw notFound('Project');
  const found = await table.getMany(notices, noticeKeys(request), { consistent: true });
  const known = found.flatMap((notice) => notice ?? []);
  return Promise.all(
    known.map(async (notice) => {
      const newest = { limit: 1, newestFirst: true, consistent: true };
      const { rows } = await table.query(noticeDeliveries, noticeDeliveriesSpan(notice), newest);
      return { notice, last: rows[0]?.item };
    }),
  );
}
