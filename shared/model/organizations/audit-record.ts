/** §5 Audit records of an organization's people, credentials, projects and webhooks. Each is written with its change. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';

export interface AuditRecord {
  readonly organizationId: string;
  /** Time of the change, in epoch milliseconds. */
  readonly at: number;
  readonly auditId: string;
  /** The name of the actor (`actorName`): `user:<account id>`, `api:<label>`, `operator` or `clean-up`. */
  readonly actor: string;
  readonly action: string;
  /** Id of the changed thing, never a credential's value. */
  readonly subject: string;
  /**
   * What people called the thing when it changed, because it may be gone when somebody reads the record. Absent if
   * the subject is a person, who has a name elsewhere, or an address, which is its own name.
   */
  readonly label?: string;
  readonly detail: string;
}

export const auditRecords: Entity<Pick<AuditRecord, 'organizationId' | 'at' | 'auditId'>, AuditRecord> = {
  type: 'audit record',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Changes in an organization, in order', key: 'pk = AUDIT#org, sk = AUDIT#at#record' }],
  key: ({ organizationId, at, auditId }) => ({
    pk: composed('AUDIT', organizationId),
    sk: composed('AUDIT', instantKey(at), auditId),
  }),
  store: (record) => ({ ...record }),
  load: (row) => stored<AuditRecord>(row),
};

export const auditSpan = ({ organizationId }: Pick<AuditRecord, 'organizationId'>) =>
  beginningWith(composed('AUDIT', organizationId), prefix('AUDIT'));
