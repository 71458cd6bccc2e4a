/**
 * §5 Audit records of an organization: changes to its people, credentials, projects and other objects. Each record is
 * written in the same transaction as its change.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

export interface AuditRecord {
  readonly organizationId: string;
  /** Time of the change, in epoch milliseconds. */
  readonly at: number;
  readonly auditId: string;
  /**
   * The name of the actor (`actorName`): `user:<account id>`, `api:<label>`, `operator`, `clean-up` or `automation`.
   */
  readonly actor: string;
  readonly action: string;
  /** The id of the object that was changed. It is never the value of a credential. */
  readonly subject: string;
  /**
   * The name of the subject at the time of the change, because the subject may no longer exist when somebody reads the
   * record. Absent for a person, whose name is stored elsewhere, and for an email address, which needs no name.
   */
  readonly label?: string;
  readonly detail: string;
  /** Whether the record comes from an archive. This deployment does not know whether it is true. */
  readonly imported?: true;
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
  store: attributesOf,
  load: stored,
};

export const auditSpan = ({ organizationId }: Pick<AuditRecord, 'organizationId'>) =>
  beginningWith(composed('AUDIT', organizationId), prefix('AUDIT'));
