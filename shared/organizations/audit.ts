/** §5 The audit record of a change, to be written in the change's own transaction. */
import { type AuditRecord, auditRecords } from '../resources/audit-record.ts';
import type { Administration } from '../services.ts';
import { type Put, put } from '../table/writes.ts';

const AUDIT_ID_CHARACTERS = 8;

/** Whatever marks tokens dead that nobody revoked. */
export const CLEAN_UP = 'clean-up';

export const auditOf = ({ now, randomId }: Administration, change: Omit<AuditRecord, 'at' | 'auditId'>): Put =>
  put(auditRecords, { ...change, at: now(), auditId: randomId(AUDIT_ID_CHARACTERS) });
