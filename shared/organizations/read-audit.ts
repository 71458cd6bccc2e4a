/** §5 What was changed in an organization, newest first, a page at a time. */
import { invalidRequest } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type AuditRecord, auditRecords, auditSpan } from '../resources/audit-record.ts';
import type { Administration } from '../services.ts';
import { mayLook, type Question } from './rights.ts';

export interface AuditPage {
  readonly hasMore: boolean;
  /** The page after a record begins at its cursor. */
  readonly records: readonly (AuditRecord & { readonly cursor: string })[];
}

export async function readAudit(
  services: Administration,
  question: Question & { readonly limit?: number | undefined; readonly startingAfter?: string | undefined },
): Promise<AuditPage> {
  await mayLook(services, question, 'read the audit record');
  const { minimum, maximum, default: usual } = LIMITS.cursorPage;
  const { limit = usual, startingAfter } = question;
  if (!Number.isInteger(limit) || limit < minimum || limit > maximum) {
    throw invalidRequest(`A page of the audit record has ${minimum} to ${maximum} records`);
  }
  const { rows } = await services.table.query(auditRecords, auditSpan(question), {
    // A span that ends right here is told from one that goes on by the one record more.
    limit: limit + 1,
    newestFirst: true,
    consistent: true,
    ...(startingAfter === undefined ? {} : { after: positionFrom(startingAfter) }),
  });
  const records = rows.slice(0, limit).map(({ item, sk }) => ({ ...item, cursor: sk }));
  return { hasMore: rows.length > limit, records };
}

function positionFrom(cursor: string): string {
  if (/^AUDIT#[0-9a-v]{9}#[0-9a-f]{8}$/.test(cursor)) return cursor;
  throw invalidRequest('There is no such cursor. Pass the `cursor` of a record of this organization');
}
