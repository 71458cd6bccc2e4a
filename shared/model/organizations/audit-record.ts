/** §5 Changes to people, credentials, projects and other objects, each in the same transaction as its change. */
import { type Entity, getPrefixSpan, type Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface AuditRecord {
  readonly organizationId: string;
  /** Time of the change, in epoch milliseconds. */
  readonly at: number;
  readonly auditId: string;
  /**
   * By `formatActorName`: `user:<account id>`, `api:<label>`, `operator`, `scim`, `company sign-in`, `clean-up`,
   * `automation` or `delivery`.
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
  patterns: [{ question: 'Changes in an organization, in order', of: { auditId: 'record' } }],
  key: ({ organizationId, at, auditId }) => ({
    pk: composeKey('AUDIT', organizationId),
    sk: composeKey('AUDIT', encodeInstant(at), auditId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

/** Written at or after `from` and before `to`, in epoch milliseconds. */
export function getAuditSpan(
  { organizationId }: Pick<AuditRecord, 'organizationId'>,
  from?: number | undefined,
  to?: number | undefined,
): Span {
  const span = getPrefixSpan(composeKey('AUDIT', organizationId), composePrefix('AUDIT'));
  return {
    pk: span.pk,
    from: from === undefined ? span.from : composeKey('AUDIT', encodeInstant(from)),
    to: to === undefined ? span.to : composeKey('AUDIT', encodeInstant(to)),
  };
}
