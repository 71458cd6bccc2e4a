import * as z from 'zod';
import { csvFormat } from '#shared/engine/http/csv.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { loadAuditNames } from '#shared/organizations/actor-names.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { markNewsSeen, readNews } from '#shared/organizations/news.ts';
import { searchAudit } from '#shared/organizations/read-audit.ts';
import { buildAuditFile } from '#shared/pages/organization/audit-file.ts';
import { AuditPage } from '#shared/pages/organization/audit-page.tsx';
import { describeRecord } from '#shared/pages/organization/audit-words.ts';
import { NewsPage } from '#shared/pages/organization/news-page.tsx';
import { PAGE_ROWS } from '#shared/pages/shell/limits.ts';
import { LIST_RANGE } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { contains } from '#shared/results/contains.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';

export const showAudit = page({
  operationId: 'showAudit',
  route: 'GET /{organizationId}/settings/audit',
  lambda: 'settings',
  needs: 'audit:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    starting_after: z.string().optional(),
    search: z.string().max(RESULT_LIMITS.searchCharacters).optional(),
    ...LIST_RANGE,
    format: csvFormat('the newest records'),
  }),
  async show({ visit, caller, query, at }, services) {
    const { starting_after: startingAfter, search, date_start: from, date_end: to } = query;
    const isFile = query.format === 'csv';
    const { auditRowsPerFile, auditReadsPerFile } = ORGANIZATION_LIMITS;
    const bounds = isFile ? { limit: auditRowsPerFile, reads: auditReadsPerFile } : { limit: PAGE_ROWS };
    const auditLog = await searchAudit(services, {
      ...caller,
      ...bounds,
      startingAfter,
      from,
      to,
      async select(records) {
        if (search === undefined) return records;
        const names = await loadAuditNames(services, records);
        return records.filter((record) => contains(describeRecord(record, names), search));
      },
    });
    const names = await loadAuditNames(services, auditLog.records);
    if (isFile) return buildAuditFile(auditLog, names);
    const isFirst = startingAfter === undefined;
    const body = <AuditPage visit={visit} at={at} log={auditLog} isFirst={isFirst} {...names} />;
    return { title: 'Audit log', tab: 'Audit log', body };
  },
});

/** Opening the first page marks what it shows as seen, as in any inbox. */
export const showNews = page({
  operationId: 'showNews',
  route: 'GET /{organizationId}/settings/news',
  lambda: 'settings',
  needs: 'audit:read',
  access: { table: 'readUpdate', writes: [adminNews], artifacts: 'none' },
  query: z.object({ starting_after: z.string().optional() }),
  async show({ visit, caller, query: { starting_after: startingAfter } }, services) {
    const news = await readNews(services, { ...caller, limit: PAGE_ROWS, startingAfter });
    const names = await loadAuditNames(services, news.records);
    const isFirst = startingAfter === undefined;
    const { total, unseen } = visit.news;
    const { organizationId } = visit;
    const { accountId } = visit.person;
    if (isFirst && unseen > 0) await markNewsSeen(services, { organizationId, accountId, total });
    const body = <NewsPage visit={visit} news={news} fresh={isFirst ? unseen : 0} {...names} />;
    return { title: 'News', tab: 'News', body };
  },
});
