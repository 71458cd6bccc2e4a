/** §5 Reads the audit records of an organization page by page, newest first. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { type AuditRecord, auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import type { CoreServices } from '#shared/services.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

export interface AuditRecords {
  readonly hasMore: boolean;
  /** Newest first. For the next page, pass the cursor of the last record as `startingAfter`. */
  readonly records: readonly (AuditRecord & { readonly cursor: string })[];
}

export async function readAudit(
  services: CoreServices,
  request: OrganizationRequest & { readonly limit?: number | undefined; readonly startingAfter?: string | undefined },
): Promise<AuditRecords> {
  await authorizeRead(services, request, 'audit:read');
  const { minimum, maximum, default: usual } = PAGE_LIMITS.cursorPage;
  const { limit = usual, startingAfter } = request;
  if (!Number.isInteger(limit) || limit < minimum || limit > maximum) {
    throw invalidRequest(`The limit of audit records per page must be ${minimum} to ${maximum}`);
  }
  const { rows } = await services.table.query(auditRecords, getAuditSpan(request), {
    // Reads one record more than the page shows, to find out whether another page follows.
    limit: limit + 1,
    newestFirst: true,
    consistent: true,
    after: startingAfter === undefined ? undefined : parseAuditCursor(startingAfter),
  });
  const records = rows.slice(0, limit).map(({ item, sk }) => ({ ...item, cursor: sk }));
  return { hasMore: rows.length > limit, records };
}

export function parseAuditCursor(cursor: string): string {
  if (/^AUDIT#[0-9a-v]{9}#[0-9a-f]{8}$/.test(cursor)) return cursor;
  throw invalidRequest('Invalid cursor. Pass the `cursor` of a record of this organization');
}
