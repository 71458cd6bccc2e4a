/** §5 Reads the audit records of an organization page by page, newest first. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { type AuditRecord, auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import type { CoreServices } from '#shared/services.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

interface AuditRecords {
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

interface AuditSearch {
  readonly limit: number;
  /** How many parts of the log may be read. */
  readonly reads?: number;
  /** `next` of the page before. */
  readonly startingAfter?: string | undefined;
  /** In epoch milliseconds; `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly select: (records: readonly AuditRecord[]) => readonly AuditRecord[] | Promise<readonly AuditRecord[]>;
}

interface FoundRecords {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** Where the next page starts, if there may be older ones. */
  readonly next: string | undefined;
}

/**
 * The records that `select` keeps. Reads several pages of the log, but not without end: a page may be short although
 * older records follow.
 */
export async function searchAudit(
  services: CoreServices,
  {
    limit,
    reads = ORGANIZATION_LIMITS.auditReadsPerPageOfNews,
    startingAfter,
    from,
    to,
    select,
    ...request
  }: OrganizationRequest & AuditSearch,
): Promise<FoundRecords> {
  await authorizeRead(services, request, 'audit:read');
  const { auditRowsPerRead } = ORGANIZATION_LIMITS;
  const records: AuditRecord[] = [];
  const span = getAuditSpan(request, from, to);
  let after = startingAfter === undefined ? undefined : parseAuditCursor(startingAfter);
  for (let read = 0; read < reads; read += 1) {
    const options = { limit: auditRowsPerRead, newestFirst: true, consistent: true, after };
    const { rows, lastRead } = await services.table.query(auditRecords, span, options);
    const chosenRecords = new Set(await select(rows.map(({ item }) => item)));
    for (const { item, sk } of rows) {
      if (chosenRecords.has(item)) records.push(item);
      if (records.length === limit) return { records, next: sk };
    }
    after = lastRead;
    if (after === undefined) break;
  }
  return { records, next: after };
}

function parseAuditCursor(cursor: string): string {
  if (/^AUDIT#[0-9a-v]{9}#[0-9a-f]{8}$/.test(cursor)) return cursor;
  throw invalidRequest('Invalid cursor. Pass the `cursor` of a record of this organization');
}
