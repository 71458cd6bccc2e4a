import * as z from 'zod';
import { loadAuditNames } from '#shared/organizations/actor-names.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { AuditPage } from '#shared/pages/organization/audit-page.tsx';
import { PAGE_ROWS } from '#shared/pages/shell/limits.ts';
import { page } from '#shared/platform/page.ts';

export const showAudit = page({
  operationId: 'showAudit',
  route: 'GET /{organizationId}/settings/audit',
  lambda: 'settings',
  needs: 'audit:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ starting_after: z.string().optional() }),
  async show({ visit, caller, query: { starting_after: startingAfter } }, services) {
    const auditLog = await readAudit(services, { ...caller, limit: PAGE_ROWS, startingAfter });
    const names = await loadAuditNames(services, auditLog.records);
    return { title: 'Audit log', tab: 'Audit log', body: <AuditPage visit={visit} page={auditLog} {...names} /> };
  },
});
